import Envelope
import Networking
package import PushStore
import ServiceParts

/// Daily counts by tenant, app and region, a few notes of the store a day, to which all its relays add. Lives on the loop.
///
/// A crash loses the last seconds' counts, and a write whose result is unknown may count them twice: these are rates, not
/// a record.
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
    /// Days as last seen in the store: their rows, which are in `rates`, and their notes' checksums.
    private var seen: [Int64: (rows: [DeliveryRates.Row: DeliveryRates.Counts], sums: [UInt64])] = [:]
    /// Tries while other relays save at the same time; the next save is soon.
    private static let tryCountMax = 4

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
        // Sending does not depend on it.
        for day in (last - DeliveryRates.dayCountMax + 1)...last { try? await load(day) }
    }

    private func load(_ day: Int64) async throws(StoreError) {
        didRead(try await context.store.notes(Self.names(of: day)), day)
    }

    private func didRead(_ notes: [[UInt8]], _ day: Int64) {
        flush()
        let rows = stored.merge(notes, day: day, seen: seen[day]?.rows ?? [:], owner: owner)
        seen[day] = (rows, notes.map { NoteChange.sum($0) })
    }

    /// The only tenant with this app.
    private func owner(of app: String) -> TenantID? {
        let owners = context.settings.configuration.tenants.filter { $0.apps.contains { $0.bundleID.text == app } }
        return owners.count == 1 ? owners[0].id : nil
    }

    func save() async {
        context.loop.checkIsolated()
        if !context.shards.isAlone, !changedDays.contains(today) { try? await load(today) }
        for day in changedDays {
            var tryCount = 0
            while tryCount < Self.tryCountMax, changedDays.remove(day) != nil {
                tryCount += 1
                await save(day)
            }
        }
        seen = seen.filter { rates.days[$0.key] != nil }
    }

    /// After an error, or another relay's save, the day stays changed.
    private func save(_ day: Int64) async {
        let rows = rates.days[day] ?? [:]
        let notes = rates.notes(day: day)
        let known = seen[day]?.sums ?? []
        let changes = Self.names(of: day).enumerated().map { index, name in
            NoteChange(
                name,
                known: index < known.count ? known[index] : 0,
                bytes: index < notes.count ? notes[index] : []
            )
        }
        do throws(StoreError) {
            let present = try await context.store.replace(changes)
            guard let present else {
                seen[day] = (rows, changes.map { NoteChange.sum($0.bytes) })
                return
            }
            didRead(present, day)
            changedDays.insert(day)
        } catch {
            changedDays.insert(day)
        }
    }

    private static func names(of day: Int64) -> [String] {
        (0..<DeliveryRates.noteCountMax).map { name(of: day, $0) }
    }

    /// Few names, so that old notes are overwritten. An earlier release reads the first note alone, and none of its rows.
    private static func name(of day: Int64, _ index: Int) -> String {
        let name = "delivery-rates-\(day % (DeliveryRates.dayCountMax + 1))"
        return index == 0 ? name : "\(name)-\(index)"
    }
}
