package sealedpush;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Constant alert of an app, which Apple sees and iOS shows if the extension does not run. */
public final class Placeholder {
    private static final int BYTE_COUNT_MAX = 173;
    private final String json;

    private Placeholder(Map<String, Object> alert) throws MessageException {
        json = Json.write(alert);
        var isText = alert.values().stream().allMatch(value -> Json.isText((String) value));
        if (alert.isEmpty() || !isText || json.getBytes(StandardCharsets.UTF_8).length > BYTE_COUNT_MAX) {
            throw MessageException.invalid("placeholder");
        }
    }

    /** Takes fixed words; one of both may be empty. */
    public static Placeholder of(String title, String body) throws MessageException {
        var alert = new LinkedHashMap<String, Object>();
        if (!title.isEmpty()) alert.put("title", title);
        if (!body.isEmpty()) alert.put("body", body);
        return new Placeholder(alert);
    }

    /** Takes a key of the app's {@code Localizable.strings}, which does not show a language. */
    public static Placeholder ofKey(String localizationKey) throws MessageException {
        return new Placeholder(localizationKey.isEmpty() ? Map.of() : Map.of("loc-key", localizationKey));
    }

    String json() {
        return json;
    }
}
