import APNS
import Envelope
import Platform
import PushStore
import TestSupport
import Testing

@testable import PushService
@testable import ServiceParts

struct ServiceMetricsTests {
    private func text(_ metrics: ServiceMetrics) -> [Substring] {
        var text: [UInt8] = []
        metrics.append(to: &text)
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    @Test func `what is counted is in the text`() {
        var metrics = ServiceMetrics(apps: ["com.example.chat"])
        metrics.didAccept(3, app: "com.example.chat", lane: .urgent, microseconds: 4_000)
        metrics.didSend(app: "com.example.chat", lane: .urgent)
        metrics.didFinish(.accepted, app: "com.example.chat", microseconds: 30_000)
        metrics.didFinish(.unknownReason, app: "com.example.chat", reason: .badDeviceToken)
        metrics.didRefuse(.plainText)
        metrics.queueDepth.background = 7
        metrics.providerTokenAgeSeconds = 100
        metrics.certificatesEnd = 1_000_000
        let lines = text(metrics)
        for expected in [
            #"sealedpush_accepted_total{topic="com.example.chat",lane="urgent"} 3"#,
            #"sealedpush_sent_total{topic="com.example.chat",lane="urgent"} 1"#,
            #"sealedpush_outcomes_total{topic="com.example.chat",reason="Accepted"} 1"#,
            #"sealedpush_outcomes_total{topic="com.example.chat",reason="BadDeviceToken"} 1"#,
            #"sealedpush_outcomes_total{topic="com.example.chat",reason="Unregistered"} 0"#,
            #"sealedpush_outcomes_total{topic="other",reason="BadDeviceToken"} 0"#,
            #"sealedpush_build_info{version="\#(ReleaseVersion.text)"} 1"#,
            #"sealedpush_refused_total{why="plain-text"} 1"#,
            #"sealedpush_queue_depth{lane="background"} 7"#, "sealedpush_provider_token_age_seconds 100",
            "sealedpush_certificate_end_timestamp_seconds 1000000", #"sealedpush_apns_seconds_bucket{le="0.025"} 0"#,
            #"sealedpush_apns_seconds_bucket{le="0.05"} 1"#, #"sealedpush_apns_seconds_bucket{le="+Inf"} 1"#,
            "sealedpush_apns_seconds_sum 0.030000", "sealedpush_apns_seconds_count 1",
        ] {
            #expect(lines.contains { $0 == expected }, "\(expected)")
        }
    }

    @Test func `a certificate's last days are counted down to below zero`() {
        let day: Int64 = 86_400
        for (now, days) in [(70 * day, 30), (70 * day + 1, 29), (99 * day, 1), (100 * day, 0), (100 * day + 1, -1)] {
            #expect(ServiceMetrics.days(from: now, to: 100 * day) == days)
        }
        #expect(ServiceMetrics.days(from: .min, to: .max) == .max)
        #expect(!text(ServiceMetrics(apps: [])).contains { $0.contains("certificate") })
    }

    @Test func `a day's deliveries are series by app and region, and only so many`() throws {
        let tenant = try TenantID("acme")
        var rates = DeliveryRates()
        for (index, region) in ["CH", "CH", "CH", "DE", "DE", "FR"].enumerated() {
            rates.add(\.accepted, tenant: tenant, app: "com.example.chat", region: region, day: 7)
            if index > 0 { rates.add(\.sent, tenant: tenant, app: "com.example.chat", region: region, day: 7) }
        }
        rates.add(\.accepted, tenant: tenant, app: "com.example.chat", region: "AT", day: 6)
        var metrics = ServiceMetrics(apps: ["com.example.chat"])
        metrics.deliveries = rates.places(day: 7, placeCountMax: 1)
        let lines = text(metrics).filter { $0.hasPrefix("sealedpush_delivery_today") }
        let name = #"sealedpush_delivery_today{topic="com.example.chat",region="#
        #expect(
            lines == [
                #"\#(name)"CH",what="accepted"} 3"#, #"\#(name)"CH",what="sent"} 2"#,
                #"\#(name)"CH",what="received"} 0"#,
                #"\#(name)"CH",what="undeliverable"} 0"#, #"\#(name)"other",what="accepted"} 3"#,
                #"\#(name)"other",what="sent"} 3"#, #"\#(name)"other",what="received"} 0"#,
                #"\#(name)"other",what="undeliverable"} 0"#,
            ]
        )
        #expect(rates.places(day: 7, placeCountMax: 9).count == 3)
    }

    @Test func `a reload's apps have their series, those that stay keep their counts, and those that go have none`() {
        var metrics = ServiceMetrics(apps: ["a.b", "c.d"])
        for (index, app) in ["a.b", "c.d", "e.f"].enumerated() {
            for _ in 0...index { metrics.didSend(app: app, lane: .normal) }
        }
        metrics.adopt(apps: ["c.d", "e.f"])
        for app in ["a.b", "c.d", "e.f"] { metrics.didSend(app: app, lane: .normal) }
        let lines = text(metrics).filter { $0.hasPrefix("sealedpush_sent_total") }
        #expect(
            lines == [
                #"sealedpush_sent_total{topic="c.d",lane="normal"} 3"#,
                #"sealedpush_sent_total{topic="e.f",lane="normal"} 1"#,
                // Three of e.f before it was configured, and one of a.b since it is not.
                #"sealedpush_sent_total{topic="other",lane="normal"} 4"#,
            ]
        )
    }

    @Test func `however often apps change there are only so many series, and who has one keeps it`() {
        var metrics = ServiceMetrics(apps: ["z.z"])
        metrics.didSend(app: "z.z", lane: .urgent)
        for round in 0..<20 {
            let apps = (0..<ServiceMetrics.appCountMax).map { "a\(round).b\($0)" } + ["z.z"]
            metrics.adopt(apps: apps)
            for app in apps { metrics.didSend(app: app, lane: .normal) }
        }
        let lines = text(metrics).filter { $0.hasPrefix("sealedpush_sent_total") }
        #expect(lines.count == ServiceMetrics.appCountMax + 2)
        #expect(lines.contains(#"sealedpush_sent_total{topic="z.z",lane="urgent"} 1"#))
        #expect(lines.contains(#"sealedpush_sent_total{topic="z.z",lane="normal"} 20"#))
        #expect(lines.contains(#"sealedpush_sent_total{topic="other",lane="normal"} 20"#))
    }

    @Test func `strangers make no series (abuse case 94)`() {
        var metrics = ServiceMetrics(apps: (0..<1_000).map { "com.example.a\($0)" })
        for lane in Lane.allCases { metrics.didSend(app: "com.example.a1", lane: lane) }
        metrics.didSend(app: "first stranger", lane: .normal)
        metrics.didFinish(.accepted, app: "first stranger")
        let before = text(metrics).count
        for index in 0..<10_000 {
            metrics.didSend(app: "stranger-\(index)\"} 1\nforged 1", lane: .normal)
            metrics.didAccept(0, app: "stranger-\(index)", lane: .normal, microseconds: Int64(index))
            metrics.didFinish(.accepted, app: "stranger-\(index)")
        }
        let lines = text(metrics)
        #expect(lines.count == before)
        #expect(!lines.contains { $0.contains("stranger") || $0.hasPrefix("forged") })
        #expect(lines.contains { $0 == #"sealedpush_sent_total{topic="other",lane="normal"} 10001"# })
        #expect(lines.contains { $0 == #"sealedpush_outcomes_total{topic="other",reason="Accepted"} 10001"# })
    }

    @Test func `each line is a comment or a series with one number, and every family is declared once`() {
        var metrics = ServiceMetrics(apps: ["a.b"])
        metrics.didSend(app: "a.b", lane: .normal)
        let lines = text(metrics)
        let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(Set(types).count == types.count)
        for line in lines where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            #expect(words.count == 2 && words.last.flatMap { Double($0) } != nil, "\(line)")
            #expect(types.contains { line.hasPrefix($0) }, "\(line)")
        }
    }

    @Test func `a histogram's buckets hold their bounds`() {
        var histogram = Histogram()
        for bound in Histogram.boundsMicroseconds {
            histogram.observe(microseconds: bound)
            histogram.observe(microseconds: bound + 1)
        }
        histogram.observe(microseconds: -5)
        #expect(histogram.counts == [2] + Array(repeating: 2, count: Histogram.boundsMicroseconds.count - 1))
        #expect(histogram.count == UInt64(2 * Histogram.boundsMicroseconds.count + 1))
        #expect(
            zip(Histogram.boundTexts, Histogram.boundsMicroseconds).allSatisfy { Double($0) == Double($1) / 1_000_000 }
        )
    }

    @Test func `a region that is none counts as other, and rows are bounded (abuse case 94)`() throws {
        let tenant = try TenantID("acme")
        var rates = DeliveryRates(rowCountMax: 10)
        for index in 0..<1_000 { rates.add(\.accepted, tenant: tenant, app: "a", region: "x\(index)", day: 1) }
        rates.add(\.received, tenant: tenant, app: "a", region: "CH", day: 1)
        #expect(rates.rowCount == 2)
        let regions = DeviceWords.regions.filter { $0 != "CH" }
        for region in regions { rates.add(\.accepted, tenant: tenant, app: "a", region: region, day: 1) }
        #expect(rates.rowCount == 10)
        #expect(rates.totals(day: 1).reduce(0) { $0 + $1.counts.accepted } == 1_000 + regions.count)
        rates.add(\.sent, tenant: tenant, app: "a", region: "DE", day: 40)
        #expect(rates.rowCount == 1)
    }
}

struct ProcessMetricsTests {
    /// As Linux 6.1 wrote it, with another name.
    private func line(name: String) -> [UInt8] {
        Array(
            ("4711 (\(name)) S 1 4711 4711 0 -1 4194560 9183 0 12 0 250 50 0 0 20 0 7 0 1000 123456789 2048"
                + " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n").utf8
        )
    }

    @Test(arguments: ["sealedpushd", "a) S 1 (b", "", ")))", "1 2 3 4 5"])
    func `fields are those behind the program's name, whatever it is`(_ name: String) throws {
        let metrics = try #require(ProcessMetrics(line: line(name: name)))
        // 100 ticks are a second on every Linux.
        #expect(metrics.processorMicroseconds == 3_000_000 && metrics.startMilliseconds == 10_000)
        #expect(metrics.threadCount == 7 && metrics.virtualByteCount == 123_456_789)
        #expect(metrics.residentByteCount == 2_048 * UInt64(getpagesize()))
    }

    @Test func `a line without the fields has no values`() {
        let whole = line(name: "a")
        #expect(ProcessMetrics(line: []) == nil)
        let end = whole.firstRange(of: Array(" 2048".utf8))?.lowerBound ?? 0
        for count in 0..<end { #expect(ProcessMetrics(line: Array(whole[..<count])) == nil, "\(count)") }
        #expect(ProcessMetrics(line: whole.filter { $0 != UInt8(ascii: ")") }) == nil)
    }
}

struct AttemptLogLineTests {
    private func line(
        topic: String = "com.example.chat",
        reason: Reason? = .badDeviceToken,
        failure: AttemptResult.Failure? = nil,
        traceContext: TraceContext? = nil
    ) throws -> AttemptLogLine {
        AttemptLogLine(
            timeMilliseconds: 951_782_400_007,
            trace: Trace(bytes: Array(1...16)),
            traceContext: traceContext,
            id: APNSID(randomBytes: Array(1...16)),
            topic: try Topic(topic),
            pushType: .alert,
            priority: nil,
            status: reason?.status,
            reason: reason,
            failure: failure,
            milliseconds: 12,
            attempt: 2
        )
    }

    @Test func `an attempt is one line of JSON without a token`() throws {
        #expect(
            String(decoding: try line().json, as: UTF8.self)
                == #"{"time":"2000-02-29T00:00:00.007Z","level":"warning","event":"attempt","trace":"AQIDBAUGBwgJCgsMDQ4PEA","#
                + #""apns-id":"01020304-0506-4708-890a-0b0c0d0e0f10","#
                + #""topic":"com.example.chat","push-type":"alert","priority":10,"status":400,"reason":"BadDeviceToken","milliseconds":12,"attempt":2}"#
                + "\n"
        )
        #expect(!String(decoding: try line(reason: nil).json, as: UTF8.self).contains("status"))
    }

    @Test func `an attempt has the caller's trace beside the push's`() throws {
        let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let text = String(decoding: try line(traceContext: TraceContext(traceparent)).json, as: UTF8.self)
        #expect(text.contains(#""trace":"AQIDBAUGBwgJCgsMDQ4PEA","traceparent":"\#(traceparent)","apns-id":"#))
    }

    @Test func `an attempt without an answer says why`() throws {
        let text = String(decoding: try line(reason: nil, failure: .pingTimeout).json, as: UTF8.self)
        #expect(text.contains(#""priority":10,"failure":"PingTimeout","milliseconds":12,"#))
    }

    @Test func `no text of a stranger can begin a line (abuse case 92)`() throws {
        let bytes = try line().json
        #expect(bytes.filter { $0 == 0x0A }.count == 1 && bytes.last == 0x0A)
        #expect(throws: APNSError.self) { try line(topic: "com.example\n{\"event\":\"forged\"}") }
        #expect(throws: APNSError.self) { try line(topic: "com.\u{1B}[2J") }
        #expect(Trace(text: "a\r\nbcdefghijklmnopqrstu") == nil)
    }
}
