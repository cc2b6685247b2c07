import Envelope
import Networking
import PushStore
import TestSupport
import Testing

@testable import PushService

struct DeliveryRatesNoteTests {
    private let acme: TenantID
    private let rival: TenantID

    init() throws { (acme, rival) = (try TenantID("acme"), try TenantID("rival")) }

    private func read(_ notes: [[UInt8]], day: Int64) -> DeliveryRates {
        var rates = DeliveryRates()
        for note in notes { rates.read(note, day: day) { _ in nil } }
        return rates
    }

    @Test func `a day's notes bring its counts back, and another day's or a damaged one brings none`() {
        var rates = DeliveryRates()
        for (_, path) in DeliveryRates.Counts.members {
            rates.add(path, tenant: acme, app: "a", region: "CH", day: 5)
        }
        rates.add(\.sent, tenant: rival, app: "a", region: nil, day: 5)
        rates.add(\.received, tenant: acme, app: "a", region: "CH", day: 6)
        let notes = rates.notes(day: 5)
        #expect(notes.count == 1)
        #expect(read(notes, day: 5).days == [5: rates.days[5] ?? [:]])
        #expect(read(notes, day: 6).days.isEmpty)
        #expect(read([Array(notes[0].dropLast())], day: 5).days.isEmpty)
        let hostile = #"{"day":5,"rows":[["acme","a","CH",-1,0,0,0,0,0],["a"],7,["","a","CH",1,1,1,1,1,1]]}"#
        #expect(read([Array(hostile.utf8)], day: 5).days.isEmpty)
    }

    @Test func `an earlier release's rows belong to the only tenant with their app`() {
        let note = Array(#"{"day":5,"rows":[["a","CH",9,8,7,1],["b","CH",1,1,1,1]]}"#.utf8)
        var rates = DeliveryRates()
        rates.read(note, day: 5) { $0 == "a" ? acme : nil }
        let row = DeliveryRates.Row(tenant: acme, app: "a", region: "CH")
        let counts = DeliveryRates.Counts(accepted: 9, tried: 8, sent: 8, received: 7, undeliverable: 1)
        #expect(rates.days == [5: [row: counts]])
    }

    @Test func `more rows than a note holds are in several, largest first, and no more than four`() throws {
        var rates = DeliveryRates()
        let regions = DeviceWords.regions.sorted()
        for index in 0..<60 {
            let tenant = try TenantID("tenant-\(index)")
            for region in regions.prefix(60) {
                rates.add(\.accepted, tenant: tenant, app: "com.example.app\(index)", region: region, day: 5)
            }
        }
        let notes = rates.notes(day: 5)
        #expect(notes.count > 1 && notes.allSatisfy { NoteLimits.byteCounts.contains($0.count) })
        #expect(read(notes, day: 5) == rates)
        let largest = DeliveryRates.Row(
            tenant: try TenantID("tenant-59"),
            app: "com.example.app59",
            region: regions[59]
        )
        rates.add(\.accepted, tenant: largest.tenant, app: largest.app, region: largest.region, day: 5)
        let few = rates.notes(day: 5, byteCountMax: 1_000)
        #expect(few.count == DeliveryRates.noteCountMax && few.allSatisfy { $0.count <= 1_000 })
        #expect(read(few, day: 5).days[5]?[largest]?.accepted == 2)
    }

    @Test func `a restart brings the days back, also one that needs several notes`() async throws {
        try await ServerStage.with { stage in
            let tenants = try (0..<8).map { try TenantID("tenant-with-a-long-name-\($0)") }
            let rates = await stage.loop.run {
                let ledger = DeliveryLedger(stage.context)
                for region in DeviceWords.regions.sorted() {
                    for tenant in tenants {
                        ledger.add(\.accepted, tenant: tenant, app: "com.example.chat", region: region)
                    }
                }
                return ledger.rates
            }
            #expect(rates.notes(day: Self.day(stage)).count > 1)
            let back = await Task(executorPreference: stage.loop) {
                let ledger = DeliveryLedger(stage.context)
                for (day, rows) in rates.days {
                    for (row, _) in rows where day == Self.day(stage) {
                        ledger.add(\.accepted, tenant: row.tenant, app: row.app, region: row.region)
                    }
                }
                await ledger.save()
                let next = DeliveryLedger(stage.context)
                await next.restore()
                return next.rates
            }.value
            #expect(back == rates)
        }
    }

    private static func day(_ stage: ServerStage) -> Int64 { Int64(stage.now.milliseconds / 86_400_000) }
}
