import Glibc
import Platform
import UserNotifications

/// A sound extension's observations of its process, for its answer.
enum Sighting {
    private static let lock = NSLock()
    // Used only under the lock.
    nonisolated(unsafe) private static var pushCount = 0

    static func content(_ object: BrokenExtension) -> UNMutableNotificationContent {
        let content = Misdeed.content("answered")
        content.userInfo = [
            "process": Int(getpid()),
            "push": next(),
            "object": "\(ObjectIdentifier(object))",
            "lock": "\(SimulatedDevice.current.map { "\($0.conditions.lock)" } ?? "none")",
            "storage": "\(SimulatedDevice.current.map { "\($0.conditions.storage)" } ?? "none")",
            "date": Int(DeviceRules.simulatedMillisecondsSince1970 ?? 0),
            "folder": FileManager.default.currentDirectoryPath,
            "temporary": FileManager.default.temporaryDirectory.path,
            "descriptors": openDescriptors(),
            "not-a-number": Double.nan,
            "listed": CurrentNotificationSystem.current?.deliveredNotifications().map(\.request.content.title) ?? [],
        ]
        UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: ["to be removed"])
        return content
    }

    private static func next() -> Int {
        lock.lock()
        defer { lock.unlock() }
        unsafe pushCount += 1
        return unsafe pushCount
    }

    /// Descriptors of files, sockets and pipes, without the one that lists them.
    private static func openDescriptors() -> [Int] {
        (0..<256).filter { fcntl(Int32($0), F_GETFD) >= 0 }
    }
}
