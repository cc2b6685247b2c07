public import APNS
import Platform

/// Answers to many pushes, in order of arrival.
///
/// At most `inFlightMax` pushes are between source and reader, so a source of millions needs little memory.
public struct APNSResponses<Source: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Source.Element == PushNotification {
    /// Result of one push.
    public struct Element: Sendable {
        /// Push's id.
        public let id: APNSID
        /// Answer, a refusal included, or the error.
        public let result: Result<APNSResponse, ProviderError>
    }

    /// Error of the source.
    public typealias Failure = any Error

    fileprivate let client: APNSClient
    fileprivate let source: Source
    fileprivate let inFlightMax: Int

    /// Starts sending. Each iterator sends all pushes again.
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

    /// One run; its end stops the sending.
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

        /// - Returns: Next answer; nil after the last.
        /// - Throws: The source's error, after the answers to its earlier pushes.
        public func next() async throws -> Element? {
            guard let (id, result) = try await run.next() else { return nil }
            return Element(id: id, result: result)
        }
    }
}

extension APNSClient {
    /// Sends all pushes and returns their answers in order of arrival.
    ///
    /// - Parameters:
    ///   - notifications: Source of any rate and length.
    ///   - inFlightMax: Limit of pushes without an answer that was read.
    public func responses<Source: AsyncSequence & Sendable>(
        to notifications: Source,
        inFlightMax: Int = 1000
    ) -> APNSResponses<Source> where Source.Element == PushNotification {
        APNSResponses(client: self, source: notifications, inFlightMax: max(1, inFlightMax))
    }
}
