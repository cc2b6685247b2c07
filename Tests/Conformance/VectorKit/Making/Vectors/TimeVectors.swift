/// Expiry, the future, and wrong clocks.
enum TimeVectors {
    private static let start = Actors.start
    private static let minute: UInt64 = 60_000
    private static let day: UInt64 = 86_400_000
    private static let week = 7 * day

    static func make() throws -> [Vector] { try ranges() + edges() + clocks() }

    private static func ranges() throws -> [Vector] {
        let cases: [(String, String, UInt64, UInt64, String)] = [
            ("equal", "expires when it was sent", start, start, "malformed"),
            ("backwards", "expires before it was sent", start, start - 1, "malformed"),
            ("week", "lives for a week", start, start + week, "opened"),
            ("week-and-more", "lives for a millisecond more than a week", start, start + week + 1, "malformed"),
            ("overflow", "expires at the end of numbers", start, .max, "malformed"),
            ("both-overflow", "sent and expiring at the end of numbers", .max - 1, .max, "malformed"),
            ("beyond-2-53", "expires at 2^53", (1 << 53) - 1, 1 << 53, "malformed"),
            ("zero", "sent in 1970 to live for a week", 0, week, "expired"),
        ]
        return try cases.map { name, title, sentAt, expiresAt, expect in
            var scene = try MessageScene("time-\(name)", title, cases: [46], rules: [25])
            try scene.deliver(expect) { ($0.sentAt, $0.expiresAt) = (sentAt, expiresAt) }
            return scene.finished
        }
    }

    private static func edges() throws -> [Vector] {
        let cases: [(String, String, UInt64, String)] = [
            ("last-moment", "a millisecond before it expires", start + 3_599_999, "opened"),
            ("expiry", "at the moment it expires", start + 3_600_000, "expired"),
            ("past", "a century late", start + 100 * 365 * day, "expired"),
            ("skew", "sent five minutes in the future", start - 5 * minute, "opened"),
            (
                "future-1-ms", "sent five minutes and a millisecond in the future", start - 5 * minute - 1,
                "clock-untrusted"
            ),
            ("future-1-day", "sent a day in the future", start - day, "clock-untrusted"),
        ]
        var vectors: [Vector] = []
        for (name, title, now, expect) in cases {
            var scene = try MessageScene("time-\(name)", title, cases: [46], rules: [25])
            try scene.deliver(expect, now: now)
            vectors.append(scene.finished)
        }
        var scene = try MessageScene(
            "time-future-100-years",
            "sent a hundred years in the future",
            cases: [46],
            rules: [25]
        )
        try scene.deliver("clock-untrusted") {
            $0.sentAt = start + 100 * 365 * day
            $0.expiresAt = $0.sentAt + day
        }
        vectors.append(scene.finished)
        scene = try MessageScene("time-lifetime-30-days", "an app that lets messages live for thirty days", rules: [25])
        scene.add("lifetime-max", "\(30 * day)")
        try scene.deliver("opened") { $0.expiresAt = $0.sentAt + 30 * day }
        try scene.deliver("malformed") { $0.expiresAt = $0.sentAt + 30 * day + 1 }
        vectors.append(scene.finished)
        return vectors
    }

    private static func clocks() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene(
            "clock-1970",
            "a clock that starts in 1970 judges nothing but what is certainly over",
            cases: [47],
            rules: [25]
        )
        try scene.deliver("opened", now: 0)
        try scene.deliver("expired", now: 0) { ($0.sentAt, $0.expiresAt) = (Actors.buildDate - day, Actors.buildDate) }
        try scene.deliver("opened", now: 0) {
            ($0.sentAt, $0.expiresAt) = (Actors.buildDate - day, Actors.buildDate + 1)
        }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-edge",
            "a clock five minutes before the build date is still believed",
            cases: [47],
            rules: [25]
        )
        let edge = Actors.buildDate - 5 * minute
        try scene.deliver("clock-untrusted", now: edge)
        try scene.deliver("opened", now: edge - 1)
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-2106",
            "a clock in 2106 makes everything expired, and once it is right again nothing is lost",
            cases: [47],
            rules: [24, 25]
        )
        try scene.deliver("expired", now: 4_294_967_296_000)
        scene.deliverAgain("opened")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-back",
            "a clock that falls back by an hour is judged by what was confirmed",
            cases: [47],
            rules: [25]
        )
        try scene.deliver("opened", now: start, at: .init(confirmed: start))
        let restarted = MessageScene.DeviceTime(start: 2, uptime: 9)
        try scene.deliver("expired", now: start - 60 * minute, at: restarted) {
            ($0.sentAt, $0.expiresAt) = (start - day, start)
        }
        try scene.deliver("opened", now: start - 60 * minute, at: restarted) {
            ($0.sentAt, $0.expiresAt) = (start + day, start + 2 * day)
        }
        scene.deliverAgain("replay", now: start - 60 * minute, at: restarted)
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-ahead-message",
            "a message of the future that a clock of the future let in moves nobody's time",
            cases: [47],
            rules: [25]
        )
        let century = start + 100 * 365 * day
        try scene.deliver("opened", now: century) { ($0.sentAt, $0.expiresAt) = (century, century + day) }
        try scene.deliver("opened", now: start)
        try scene.deliver("clock-untrusted", now: start) { ($0.sentAt, $0.expiresAt) = (start + day, start + 2 * day) }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-ahead-confirmed",
            "confirmed time counts and not the device's clock, until the device is started again",
            cases: [47],
            rules: [25]
        )
        let later = MessageScene.DeviceTime(uptime: 60 * minute)
        try scene.deliver("opened", now: century, at: .init(confirmed: start))
        try scene.deliver("expired", now: 0, at: later) { $0.expiresAt = start + 60 * minute }
        try scene.deliver("opened", now: century, at: later) { $0.expiresAt = start + 60 * minute + 1 }
        try scene.deliver("expired", now: century, at: .init(start: 2)) { $0.expiresAt = start + 90 * minute }
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-ahead-source",
            "a confirmation takes the place of one that was wrong",
            cases: [47],
            rules: [25]
        )
        try scene.deliver("expired", now: start, at: .init(confirmed: century))
        scene.deliverAgain("opened", now: start, at: .init(uptime: 5, confirmed: start))
        vectors.append(scene.finished)
        scene = try MessageScene(
            "clock-call",
            "a call under a wrong clock does not ring",
            cases: [47],
            rules: [25, 29],
            contact: "person call"
        )
        try scene.deliver("clock-untrusted", now: 0) {
            $0.setBody(#"{"op":"call","call":"room 7"}"#)
            $0.expiresAt = $0.sentAt + 60_000
        }
        vectors.append(scene.finished)
        return vectors
    }
}
