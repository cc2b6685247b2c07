import Envelope
import Networking
package import PushStore
import ServiceParts

/// Daily counts by tenant, app and region, a few notes of the store a day. Lives on the loop.
///
/// A crash loses the last seconds' counts: these are rates, not a record.
package final class DeliveryLedger {
    static let millisecondsPerDay: UInt64 = 86_400_000

    /// The metrics have four series for each place.
    private static let placeCountMax = 1_000

    private struct Recent {
        let day: Int64
        let tenant: TenantID
        let app: String
        let region: String?
        var counts = DeliveryRates.Counts()

        func isOf(_ day: Int64, _ tenant: TenantID, _ app: String, _ region: String?) -> Bool {
            self.day == day && self.app == app && self.region == region && self.tenant == tenant
        }
    }

    private let context: ServiceContext
    private var stored = DeliveryRates()
    /// Counts of the last place, not yet in `stored`: most pushes follow others of their place.
    private var recent: Recent?
    private var changedDays: Set<Int64> = []
    /// Notes on the disk: a day's surplus ones are emptied.
    private var noteCounts: [Int64: Int] = [:]

    init(_ context: ServiceContext) { self.context = context }

    /// Ignores unconfigured apps. On the loop.
    package func add(
        _ member: WritableKeyPath<DeliveryRates.Counts, Int>,
        tenant: TenantID,
        app: String,
        region: String?
    ) {
        context.loop.checkIsolated()
        let day = today
        guard recent?.isOf(day, tenant, app, region) == true else {
            flush()
            var first = Recent(day: day, tenant: tenant, app: app, region: region)
            first.counts[keyPath: member] = 1
            recent = first
            changedDays.insert(day)
            return
        }
        recent?.counts[keyPath: member] += 1
    }

    package var rates: DeliveryRates {
        flush()
        return stored
    }

    private func flush() {
        guard let last = recent else { return }
        recent = nil
        stored.add(last.counts, tenant: last.tenant, app: last.app, region: last.region, day: last.day)
    }

    package var todayByApp: [String: DeliveryRates.Counts] {
        rates.totals(day: today).reduce(into: [:]) { $0[$1.row.app, default: DeliveryRates.Counts()].add($1.counts) }
    }

    /// Today's counts of configured apps, limited for a scrape.
    var todayByPlace: [DeliveryRates.Place: DeliveryRates.Counts] {
        let configured = Set(context.settings.bundleIDs)
        return rates.places(day: today, placeCountMax: Self.placeCountMax).filter { configured.contains($0.key.app) }
    }

    private var today: Int64 { Int64(context.clock.now().milliseconds / Self.millisecondsPerDay) }

    func restore() async {
        context.loop.checkIsolated()
        let last = today
        for day in (last - DeliveryRates.dayCountMax + 1)...last {
            for index in 0..<DeliveryRates.noteCountMax {
                let name = Self.name(of: day, index)
                // Sending does not depend on it.
                let note = try? await context.store.read { reader throws(StoreError) in try reader.note(name) }
                guard let note = note ?? nil else { break }
                stored.read(note, day: day, owner: owner)
                noteCounts[day] = index + 1
            }
        }
    }

    /// The only tenant with this app.
    private func owner(of app: String) -> TenantID? {
        let owners = context.settings.configuration.tenants.filter { $0.apps.contains { $0.bundleID.text == app } }
        return owners.count == 1 ? owners[0].id : nil
    }

    func save() async {
        context.loop.checkIsolated()
        for day in changedDays {
            changedDays.remove(day)
            let notes = rates.notes(day: day)
            let count = max(notes.count, noteCounts[day] ?? 0)
            do throws(StoreError) {
                try await context.store.write { writer throws(StoreError) in
                    for index in 0..<count {
                        let note = index < notes.count ? notes[index] : []
                        try writer.setNote(Self.name(of: day, index), to: note)
                    }
                }
                noteCounts[day] = notes.count
            } catch {
                // For the next save.
                changedDays.insert(day)
            }
        }
    }

    /// Few names, so that old notes are overwritten. An earlier release reads the first note alone, and none of its rows.
    private static func name(of day: Int64, _ index: Int) -> String {
        let name = "delivery-rates-\(day % (DeliveryRates.dayCountMax + 1))"
        return index == 0 ? name : "\(name)-\(index)"
    }
}
