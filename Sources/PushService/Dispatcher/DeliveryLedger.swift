import Envelope
import PushStore
import Transport

/// What became of a day's notifications by app and region, kept through restarts: each day is a note of its own in
/// the store, written anew when it has changed. Lives on the loop.
///
/// Counts of the last seconds before a crash are lost: these are rates, and no ledger of what happened to whom.
package final class DeliveryLedger {
    private static let millisecondsPerDay: UInt64 = 86_400_000
    /// Of one day: as many as fit a note that is written every few seconds.
    private static let rowCountMaxOfDay = 10_000

    /// Series of the metrics are four times as many.
    private static let placeCountMax = 1_000

    private let context: ServiceContext
    /// The last days, the present one among them.
    package private(set) var rates = DeliveryRates()
    private var changedDays: Set<Int64> = []

    init(_ context: ServiceContext) { self.context = context }

    /// Counts one. On the loop.
    ///
    /// - Parameters:
    ///   - member: what happened.
    ///   - app: a configured bundle id; others are passed over.
    ///   - region: of the device; nil where there is none.
    package func add(_ member: WritableKeyPath<DeliveryRates.Counts, Int>, app: String, region: String?) {
        context.loop.checkIsolated()
        let day = today
        rates.add(member, app: app, region: region, day: day)
        changedDays.insert(day)
    }

    /// Of today, all apps and regions together.
    package var todayByApp: [String: DeliveryRates.Counts] { rates.totals(day: today) }

    /// Of today and the apps that are configured, by app and region: as many as a scrape may have.
    var todayByPlace: [DeliveryRates.Place: DeliveryRates.Counts] {
        let configured = Set(context.settings.bundleIDs)
        return rates.places(day: today, placeCountMax: Self.placeCountMax).filter { configured.contains($0.key.app) }
    }

    private var today: Int64 { Int64(context.clock.now().milliseconds / Self.millisecondsPerDay) }

    // MARK: The store

    /// Reads what a process before had counted. In a task of the loop's.
    func restore() async {
        context.loop.checkIsolated()
        let last = today
        for day in (last - DeliveryRates.dayCountMax + 1)...last {
            // Without it the counting begins anew, which is no reason not to send.
            let note = try? await context.store.read { reader throws(StoreError) in try reader.note(Self.name(of: day))
            }
            guard let note = note ?? nil else { continue }
            rates.read(note, day: day)
        }
    }

    /// Writes the days that have changed. In a task of the loop's.
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
                // With the next.
                changedDays.insert(day)
            }
        }
    }

    /// As many names as days are kept, so that old notes are written over.
    private static func name(of day: Int64) -> String { "delivery-rates-\(day % (DeliveryRates.dayCountMax + 1))" }
}
