import Envelope
import Networking
import PushStore
import ServiceParts

/// Daily counts by app and region, one note of the store a day. Lives on the loop.
///
/// A crash loses the last seconds' counts: these are rates, not a record.
package final class DeliveryLedger {
    private static let millisecondsPerDay: UInt64 = 86_400_000
    /// Rows of a day, for a note rewritten every few seconds.
    private static let rowCountMaxOfDay = 10_000

    /// The metrics have four series for each place.
    private static let placeCountMax = 1_000

    private let context: ServiceContext
    package private(set) var rates = DeliveryRates()
    private var changedDays: Set<Int64> = []

    init(_ context: ServiceContext) { self.context = context }

    /// Ignores unconfigured apps. On the loop.
    package func add(_ member: WritableKeyPath<DeliveryRates.Counts, Int>, app: String, region: String?) {
        context.loop.checkIsolated()
        let day = today
        rates.add(member, app: app, region: region, day: day)
        changedDays.insert(day)
    }

    package var todayByApp: [String: DeliveryRates.Counts] { rates.totals(day: today) }

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
            // Sending does not depend on it.
            let note = try? await context.store.read { reader throws(StoreError) in try reader.note(Self.name(of: day))
            }
            guard let note = note ?? nil else { continue }
            rates.read(note, day: day)
        }
    }

    func save() async {
        context.loop.checkIsolated()
        for day in changedDays {
            changedDays.remove(day)
            let note = rates.note(day: day, rowCountMax: Self.rowCountMaxOfDay)
            do throws(StoreError) {
                try await context.store.write { writer throws(StoreError) in
                    try writer.setNote(Self.name(of: day), to: note)
                }
            } catch {
                // For the next save.
                changedDays.insert(day)
            }
        }
    }

    /// Few names, so that old notes are overwritten.
    private static func name(of day: Int64) -> String { "delivery-rates-\(day % (DeliveryRates.dayCountMax + 1))" }
}
