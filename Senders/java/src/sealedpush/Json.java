package sealedpush;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as docs/protocol.md, section 6, has it: strict UTF-8, depth 8 at most, unique names, integers of 64 bits only, no
 * U+0000 and no half of a surrogate pair.
 *
 * <p>Values are {@code Map<String, Object>}, {@code List<Object>}, {@code String}, {@code Long}, {@code Boolean} and
 * {@code null}.
 */
final class Json {
    private static final int DEPTH_MAX = 8;
    private static final Object REFUSED = new Object();
    private final String text;
    private int position;
    private int depth;

    /** Refusal of a document, without its contents. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused() {
            super("not the expected JSON");
        }
    }

    private Json(String text) {
        this.text = text;
    }

    // Reading

    static Object parse(byte[] bytes) throws Refused {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notUtf8) {
            throw new Refused();
        }
        var parser = new Json(text);
        var value = parser.value();
        parser.skipSpace();
        if (parser.position != text.length()) throw new Refused();
        return value;
    }

    /** Casts a value to what is expected of it, or refuses it. */
    static <T> T as(Class<T> type, Object value) throws Refused {
        if (!type.isInstance(value)) throw new Refused();
        return type.cast(value);
    }

    private Object value() throws Refused {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> integer();
        };
    }

    private Map<String, Object> object() throws Refused {
        var members = new LinkedHashMap<String, Object>();
        for (boolean more = opens('}'); more; more = continues('}')) {
            skipSpace();
            var name = string();
            skipSpace();
            expect(':');
            var value = value();
            if (members.putIfAbsent(name, value == null ? REFUSED : value) != null) throw new Refused();
        }
        // A placeholder stood for null, so that a second member of its name was noticed.
        members.replaceAll((name, value) -> value == REFUSED ? null : value);
        return members;
    }

    private List<Object> array() throws Refused {
        var elements = new ArrayList<>();
        for (boolean more = opens(']'); more; more = continues(']')) elements.add(value());
        return elements;
    }

    /** Enters a container; false if it is empty, and left again. */
    private boolean opens(char end) throws Refused {
        position++;
        if (++depth > DEPTH_MAX) throw new Refused();
        skipSpace();
        return peek() != end || leave();
    }

    private boolean continues(char end) throws Refused {
        skipSpace();
        if (peek() == end) return leave();
        expect(',');
        return true;
    }

    private boolean leave() {
        position++;
        depth--;
        return false;
    }

    private String string() throws Refused {
        expect('"');
        var out = new StringBuilder();
        for (char c = next(); c != '"'; c = next()) {
            if (c < 0x20) throw new Refused();
            out.append(c == '\\' ? escape() : c);
        }
        if (!isText(out)) throw new Refused();
        return out.toString();
    }

    private char escape() throws Refused {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) (hexDigit() << 12 | hexDigit() << 8 | hexDigit() << 4 | hexDigit());
            default -> throw new Refused();
        };
    }

    private int hexDigit() throws Refused {
        char c = next();
        // Character.digit takes digits of other scripts too.
        int digit = c < 0x80 ? Character.digit(c, 16) : -1;
        if (digit < 0) throw new Refused();
        return digit;
    }

    private Long integer() throws Refused {
        int start = position;
        if (peek() == '-') position++;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') position++;
        var digits = text.substring(start, position);
        if (!digits.matches("0|-?[1-9][0-9]{0,18}")) throw new Refused();
        try {
            return Long.valueOf(digits);
        } catch (NumberFormatException outOfRange) {
            throw new Refused();
        }
    }

    private Object literal(String word, Object value) throws Refused {
        if (!text.startsWith(word, position)) throw new Refused();
        position += word.length();
        return value;
    }

    private void skipSpace() {
        while (position < text.length() && " \t\n\r".indexOf(text.charAt(position)) >= 0) position++;
    }

    private char peek() throws Refused {
        if (position >= text.length()) throw new Refused();
        return text.charAt(position);
    }

    private char next() throws Refused {
        char c = peek();
        position++;
        return c;
    }

    private void expect(char c) throws Refused {
        if (next() != c) throw new Refused();
    }

    /** True for text without U+0000 and halves of surrogate pairs. */
    static boolean isText(CharSequence text) {
        return text.codePoints().noneMatch(c -> c == 0 || c >= 0xD800 && c <= 0xDFFF);
    }

    // Writing

    /** Writes a value without white space, with only the escapes that RFC 8259 demands. */
    static String write(Object value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            char separator = '{';
            for (var member : map.entrySet()) {
                writeString((String) member.getKey(), out.append(separator));
                write(member.getValue(), out.append(':'));
                separator = ',';
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            char separator = '[';
            for (var element : list) {
                write(element, out.append(separator));
                separator = ',';
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof String string) {
            writeString(string, out);
        } else {
            out.append(value);
        }
    }

    private static void writeString(String string, StringBuilder out) {
        out.append('"');
        for (char c : string.toCharArray()) {
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < 0x20) out.append("\\u%04x".formatted((int) c));
                    else out.append(c);
                }
            }
        }
        out.append('"');
    }
}
