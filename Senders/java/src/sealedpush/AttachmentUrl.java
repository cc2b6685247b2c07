package sealedpush;

import java.util.regex.Pattern;

/**
 * HTTPS URL of an attachment, so plain that no two readers see different hosts (docs/protocol.md, section 6).
 *
 * @param text the whole URL, 200 bytes at most
 * @param host as in the text; an IPv6 address with its brackets
 * @param port 443 where the text has none
 * @param path as in the text, without the query
 */
record AttachmentUrl(String text, String host, int port, String path) {
    private static final String LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
    private static final String NUMBER = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final String GROUPS = "[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*";
    private static final String PCHAR = "[A-Za-z0-9._~!$&()*+,;=:@-]|%(?!00)[0-9A-Fa-f]{2}";
    private static final Pattern URL = Pattern.compile("https://"
            + "(localhost|(?:" + LABEL + "\\.)+(?=[a-z])" + LABEL
            + "|" + NUMBER + "(?:\\." + NUMBER + "){3}|\\[[0-9a-f:]+\\])"
            + "(?::([1-9][0-9]{0,4}))?"
            + "((?:/(?:(?!%2[Ff]|%5[Cc])(?:" + PCHAR + "))*)+)"
            + "(?:\\?(?:" + PCHAR + "|[/?])*)?");
    private static final Pattern DOTS = Pattern.compile("(?i)/(?:\\.|%2e){1,2}(?:/|$)");

    /** Reads a URL; null for anything outside the grammar. */
    static AttachmentUrl parse(String text) {
        if (text.length() > 200) return null;
        var match = URL.matcher(text);
        if (!match.matches()) return null;
        var host = match.group(1);
        if (host.startsWith("[") && !isIpv6(host.substring(1, host.length() - 1))) return null;
        var port = match.group(2) == null ? 443 : Integer.parseInt(match.group(2));
        if (port > 65_535 || DOTS.matcher(match.group(3)).find()) return null;
        return new AttachmentUrl(text, host, port, match.group(3));
    }

    /** Eight groups, or at most seven and once "::". */
    private static boolean isIpv6(String address) {
        var gap = address.indexOf("::");
        if (gap < 0) return groupCount(address) == 8;
        var before = groupCount(address.substring(0, gap));
        var after = groupCount(address.substring(gap + 2));
        return before >= 0 && after >= 0 && before + after <= 7;
    }

    /** Counts the groups; -1 for anything else. */
    private static int groupCount(String text) {
        if (text.isEmpty()) return 0;
        return text.matches(GROUPS) ? text.split(":").length : -1;
    }
}
