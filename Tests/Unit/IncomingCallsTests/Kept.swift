import Dispatch
import Platform

/// The object with which an app was launched, for a test that looks into it.
final class Kept: Sendable {
    /// Unchecked: it is used where the app itself lives, on the main queue.
    private struct Object: @unchecked Sendable {
        let object: AnyObject
    }

    private let object = Guarded<Object?>(nil)

    func keep(_ object: AnyObject) -> AnyObject {
        let kept = Object(object: object)
        self.object.withLock { $0 = kept }
        return object
    }

    /// Waits for all jobs that are in the main queue now.
    static func waitForMain() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    /// Runs behind all jobs that are in the main queue already.
    func onMain<Result: Sendable>(_ body: @escaping @Sendable (AnyObject) -> Result?) async -> Result? {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { [self] in
                let kept = object.withLock { $0 }
                continuation.resume(returning: kept.flatMap { body($0.object) })
            }
        }
    }
}
