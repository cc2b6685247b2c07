public import APNS
import Platform
import Transport

/// The answers to many pushes, in the order in which they come.
///
/// Pushes are taken from their source only as fast as answers are taken from here: at most `inFlightMax` are between the
/// two, so that a source of millions needs the memory of a few.
public struct APNSResponses<Source: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Source.Element == PushNotification {
    /// What became of one push.
    public struct Element: Sendable {
        /// Which push.
        public let id: APNSID
        /// The answer, a refusal included, or why there is none.
        public let result: Result<APNSResponse, ProviderError>
    }

    /// What the source of the pushes throws.
    public typealias Failure = any Error

    fileprivate let client: APNSClient
    fileprivate let source: Source
    fileprivate let inFlightMax: Int

    /// Begins to send. Each iterator sends all pushes anew.
    public func makeAsyncIterator() -> Iterator {
        let run = APNSResponseRun(inFlightMax: inFlightMax)
        let (client, source) = (client, source)
        // Ends with the iterator, which cancels it, or with its source.
        let pump = Task {
            do {
                for try await notification in source {
                    guard await run.waitForRoom() else { return }
                    client.send(notification, telling: run)
                }
                run.end(nil)
            } catch {
                run.end(error)
            }
        }
        return Iterator(run: run, pump: pump)
    }

    /// One run; when it goes, what has not been sent yet is not sent.
    public final class Iterator: AsyncIteratorProtocol {
        private let run: APNSResponseRun
        private let pump: Task<Void, Never>

        fileprivate init(run: APNSResponseRun, pump: Task<Void, Never>) {
            self.run = run
            self.pump = pump
        }

        deinit {
            pump.cancel()
            run.abandon()
        }

        /// - Returns: the next answer; nil when all pushes of the source have theirs.
        /// - Throws: what the source threw, once the answers to what it gave before have been taken.
        public func next() async throws -> Element? {
            guard let (id, result) = try await run.next() else { return nil }
            return Element(id: id, result: result)
        }
    }
}

extension APNSClient {
    /// Sends all pushes of `notifications` and gives their answers in the order in which they come.
    ///
    /// - Parameters:
    ///   - notifications: where pushes come from; any rate, any number.
    ///   - inFlightMax: how many may be without an answer that was taken.
    /// - Returns: one element for each push.
    public func responses<Source: AsyncSequence & Sendable>(
        to notifications: Source,
        inFlightMax: Int = 1000
    ) -> APNSResponses<Source> where Source.Element == PushNotification {
        APNSResponses(client: self, source: notifications, inFlightMax: max(1, inFlightMax))
    }
}
