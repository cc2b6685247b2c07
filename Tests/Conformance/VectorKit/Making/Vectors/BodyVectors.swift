import Envelope

/// A body that a contact really sealed and signed: strict all the same.
enum BodyVectors {
    static func make() throws -> [Vector] { try bodies() + documents() }

    private static func bodies() throws -> [Vector] {
        let cases: [(String, String, String, String)] = [
            ("empty-object", "an object without text", "{}", "malformed"),
            ("array", "an array", #"[{"body":"b"}]"#, "malformed"),
            ("title-number", "a title that is a number", #"{"title":7,"body":"b"}"#, "malformed"),
            ("title-null", "a title that is null", #"{"title":null,"body":"b"}"#, "malformed"),
            ("badge-bool", "a boolean where a number belongs", #"{"body":"b","badge":true}"#, "malformed"),
            ("badge-string", "a string where a number belongs", #"{"body":"b","badge":"1"}"#, "malformed"),
            ("relevance-number", "a fraction as a number", #"{"body":"b","relevance-score":0.5}"#, "malformed"),
            ("relevance-five-decimals", "five decimals", #"{"body":"b","relevance-score":"0.12345"}"#, "malformed"),
            ("user-info-nested", "user info that is nested", #"{"body":"b","user-info":{"a":{}}}"#, "malformed"),
            ("loc-args-alone", "arguments without their key", #"{"body":"b","loc-args":["x"]}"#, "malformed"),
            ("receipt-short", "a receipt of 15 bytes", Self.receipt("AAECAwQFBgcICQoLDA0O"), "malformed"),
            ("receipt-long", "a receipt of 17 bytes", Self.receipt("AAECAwQFBgcICQoLDA0ODxA"), "malformed"),
            ("receipt-alphabet", "a receipt in base64", Self.receipt("++ECAwQFBgcICQoLDA0ODw"), "malformed"),
            (
                "receipt-spare-bits", "a receipt that is spelled otherwise", Self.receipt("AAECAwQFBgcICQoLDA0ODx"),
                "malformed"
            ),
            ("receipt-number", "a receipt that is a number", #"{"body":"b","receipt":7}"#, "malformed"),
            ("volume-alone", "a volume without a sound", #"{"body":"b","sound-volume":"1"}"#, "malformed"),
            (
                "crit-unknown", "a critical name that nobody knows", #"{"body":"b","crit":["poll"],"poll":1}"#,
                "unsupported"
            ),
            ("crit-not-array", "critical names that are no array", #"{"body":"b","crit":"body"}"#, "malformed"),
            ("crit-before-op", "what is critical is judged first", #"{"op":7,"crit":["poll"]}"#, "unsupported"),
        ]
        var vectors: [Vector] = []
        for (name, title, body, expect) in cases {
            var scene = try MessageScene("body-\(name)", title, cases: name == "badge-bool" ? [8, 12, 19] : [12, 19])
            try scene.deliver(expect) { $0.setBody(body) }
            vectors.append(scene.finished)
        }
        let opened: [(String, String, String, String)] = [
            (
                "crit-known", "critical names that are known", #"{"body":"b","crit":["body","sound","crit"]}"#,
                #"{"body":"b"}"#
            ),
            ("unknown-member", "a member that nobody knows", #"{"body":"b","poll":{"a":[1,null]}}"#, #"{"body":"b"}"#),
            (
                "empty-members", "empty members are absent",
                #"{"op":"","title":"","body":"b","user-info":{},"loc-args":[],"target":""}"#, #"{"body":"b"}"#
            ),
            ("white-space", "white space between the tokens", " {\t\"body\" :\r\"b\" } ", #"{"body":"b"}"#),
            ("escapes", "escapes in names and texts", #"{"b\u006fdy":"\u0041\ud83d\ude00\/"}"#, #"{"body":"A😀/"}"#),
            (
                "receipt", "a receipt is asked for", Self.receipt("AAECAwQFBgcICQoLDA0ODw"),
                Self.receipt("AAECAwQFBgcICQoLDA0ODw")
            ),
            ("receipt-empty", "a receipt that is empty is absent", Self.receipt(""), #"{"body":"b"}"#),
            (
                "crit-receipt", "a receipt may be critical",
                #"{"body":"b","crit":["receipt"],"receipt":"AAECAwQFBgcICQoLDA0ODw"}"#,
                Self.receipt("AAECAwQFBgcICQoLDA0ODw")
            ),
            ("loc-key", "a key of the app's tables is text", #"{"loc-key":"NEW"}"#, #"{"loc-key":"NEW"}"#),
        ]
        for (name, title, body, shows) in opened {
            var scene = try MessageScene("body-\(name)", title)
            try scene.deliver("opened", shows: shows) { $0.setBody(body) }
            vectors.append(scene.finished)
        }
        return vectors
    }

    private static func receipt(_ text: String) -> String { #"{"body":"b","receipt":"\#(text)"}"# }

    /// Faults of JSON, once inside a message and once alone.
    private static func documents() throws -> [Vector] {
        var vectors: [Vector] = []
        for (name, title, text, cases) in Self.faults {
            var alone = Vector(name: "json-\(name)", title: title, kind: "json", cases: cases)
            alone.add("expect", "refused")
            alone.input = text
            vectors.append(alone)
            // Two bytes are the least that a frame holds.
            guard text.count >= 2 else { continue }
            var scene = try MessageScene("body-json-\(name)", "inside a message: \(title)", cases: cases + [19])
            try scene.deliver("malformed") { $0.body = text }
            vectors.append(scene.finished)
        }
        for (name, title, text) in [
            ("minimal", "an empty object", "{}"),
            ("depth-8", "eight levels", String(repeating: "[", count: 8) + String(repeating: "]", count: 8)),
            ("min-integer", "the least integer", "-9223372036854775808"),
            ("max-integer", "the greatest integer", "9223372036854775807"),
            ("replacement", "a character beyond the first plane", #""\#u{1F600}""#),
        ] {
            var vector = Vector(name: "json-\(name)", title: title, kind: "json", cases: [2])
            vector.add("expect", "valid")
            vector.input = Array(text.utf8)
            vectors.append(vector)
        }
        return vectors
    }

    private static let faults: [(String, String, [UInt8], [Int])] = [
        ("empty", "nothing", [], [1]), ("truncated", "an object that does not end", Array(#"{"body":"b""#.utf8), [2]),
        ("truncated-escape", "an escape that does not end", Array(#"{"body":"\u00"}"#.utf8), [2]),
        ("duplicate", "two members of one name", Array(#"{"body":"a","body":"b"}"#.utf8), [3]),
        (
            "duplicate-escaped", "two members of one name, in two spellings",
            Array(#"{"body":"a","\u0062ody":"b"}"#.utf8), [3]
        ),
        ("duplicate-nested", "two members of one name, deeper", Array(#"{"body":"a","x":{"y":1,"y":2}}"#.utf8), [3]),
        ("trailing-comma", "a comma before the end", Array(#"{"body":"b",}"#.utf8), [4]),
        ("bom", "a byte order mark", [0xEF, 0xBB, 0xBF] + Array(#"{"body":"b"}"#.utf8), [4]),
        ("utf-16", "UTF-16", Array(#"{"body":"b"}"#.utf8).flatMap { [0, $0] }, [4]),
        ("trailing", "something behind the object", Array(#"{"body":"b"}x"#.utf8), [5]),
        ("two", "two documents", Array(#"{"body":"b"}{"body":"b"}"#.utf8), [5]),
        ("comment", "a comment", Array(#"{"body":"b"/* */}"#.utf8), [5]),
        ("single-quotes", "single quotes", Array("{'body':'b'}".utf8), [5]),
        ("depth-9", "nine levels", Array(#"{"body":"b","x":[[[[[[[[]]]]]]]]}"#.utf8), [6]),
        ("depth-1000", "a thousand levels", [UInt8](repeating: UInt8(ascii: "["), count: 1_000), [6]),
        ("2-63", "an integer beyond 64 bits", Array(#"{"body":"b","x":9223372036854775808}"#.utf8), [7]),
        ("1e400", "a number beyond doubles", Array(#"{"body":"b","x":1e400}"#.utf8), [7]),
        ("1.0", "a fraction", Array(#"{"body":"b","x":1.0}"#.utf8), [7]),
        ("1e2", "an exponent", Array(#"{"body":"b","x":1e2}"#.utf8), [7]),
        ("minus-0", "minus zero", Array(#"{"body":"b","x":-0}"#.utf8), [7]),
        ("leading-0", "a zero before a digit", Array(#"{"body":"b","x":01}"#.utf8), [7]),
        ("nan", "not a number", Array(#"{"body":"b","x":NaN}"#.utf8), [7]),
        ("lone-surrogate", "half of a surrogate pair", Array(#"{"body":"\ud800"}"#.utf8), [9]),
        ("swapped-surrogates", "a surrogate pair the wrong way round", Array(#"{"body":"\ude00\ud83d"}"#.utf8), [9]),
        ("latin-1", "a byte that is not UTF-8", Array(#"{"body":""#.utf8) + [0xE9] + Array(#""}"#.utf8), [9]),
        ("overlong", "an overlong encoding", Array(#"{"body":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8), [9]),
        (
            "encoded-surrogate", "a surrogate in UTF-8",
            Array(#"{"body":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8), [9]
        ),
        ("control", "a control character inside a text", Array("{\"body\":\"a\u{1}b\"}".utf8), [9]),
        ("nul", "a NUL inside a text", Array(#"{"body":"a\u0000b"}"#.utf8), [9]),
        ("nul-raw", "a NUL behind the object", Array(#"{"body":"b"}"#.utf8) + [0], [9]),
        ("nul-name", "a NUL inside a name", Array(#"{"body":"b","x\u0000":1}"#.utf8), [9]),
    ]
}
