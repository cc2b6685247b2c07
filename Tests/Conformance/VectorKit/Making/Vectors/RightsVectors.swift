/// Signed is not trusted: the parts of a body that survive its sender's rights.
enum RightsVectors {
    private static let everything = #"""
        {"badge":3,"title":"t","subtitle":"s","body":"b","title-loc-key":"T","title-loc-args":["1"],"thread-id":"i",\#
        "category":"chat","sound":"ping","sound-volume":"0.5","level":"critical","relevance-score":"0.25",\#
        "target-content-id":"x","sender":"Ada","user-info":{"a":1,"b":"z","c":true}}
        """#

    static func make() throws -> [Vector] {
        let person =
            #"{"title":"t","subtitle":"s","body":"b","title-loc-key":"T","title-loc-args":["1"],"thread-id":"i""#
        let cases: [(String, String, String, [String], String)] = [
            ("person-nothing", "a person without rights", "person -", [], person + #","relevance-score":"0.25"}"#),
            (
                "service-nothing", "a service without rights", "service -", [],
                #"{"badge":3,"# + person.dropFirst() + #","relevance-score":"0.25","sender":"Ada"}"#
            ),
            (
                "person-all", "a person with every right", "person call,critical,time-sensitive,links",
                ["category chat", "sound ping", "user-info a", "user-info b", "user-info c"],
                person
                    + #","category":"chat","sound":"ping","sound-volume":"0.5","level":"critical","relevance-score":"0.25","target-content-id":"x","user-info":{"a":1,"b":"z","c":true}}"#
            ),
            (
                "service-all", "a service with every right", "service call,critical,time-sensitive,links",
                ["category chat", "sound ping", "user-info a"],
                #"{"badge":3,"# + person.dropFirst()
                    + #","category":"chat","sound":"ping","sound-volume":"0.5","level":"critical","relevance-score":"0.25","target-content-id":"x","sender":"Ada","user-info":{"a":1}}"#
            ),
            (
                "sound-without-critical", "a volume is for critical alerts", "service time-sensitive", ["sound ping"],
                #"{"badge":3,"# + person.dropFirst() + #","sound":"ping","relevance-score":"0.25","sender":"Ada"}"#
            ),
            (
                "other-names", "names that the app's lists do not have", "service critical",
                ["category other", "sound other", "user-info d"],
                #"{"badge":3,"# + person.dropFirst() + #","level":"critical","relevance-score":"0.25","sender":"Ada"}"#
            ),
        ]
        var vectors: [Vector] = []
        for (name, title, contact, allowed, shows) in cases {
            var scene = try MessageScene("rights-\(name)", title, rules: [22, 30], contact: contact)
            for name in allowed { scene.add("allow", name) }
            try scene.deliver("opened", shows: shows) { $0.setBody(everything) }
            vectors.append(scene.finished)
        }
        for (level, right, kept) in [
            ("passive", "-", true), ("active", "-", false), ("time-sensitive", "-", false),
            ("time-sensitive", "time-sensitive", true), ("time-sensitive", "critical", false),
            ("critical", "time-sensitive", false),
            ("urgent", "critical,time-sensitive", false),
        ] {
            let suffix = right == "-" ? "nothing" : right.replacing(",", with: "-")
            var scene = try MessageScene(
                "level-\(level)-with-\(suffix)",
                "the level \(level) with the rights: \(right)",
                rules: [30],
                contact: "person \(right)"
            )
            try scene.deliver("opened", shows: kept ? #"{"body":"b","level":"\#(level)"}"# : #"{"body":"b"}"#) {
                $0.setBody(#"{"body":"b","level":"\#(level)"}"#)
            }
            vectors.append(scene.finished)
        }
        return vectors
    }
}
