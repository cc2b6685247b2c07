internal import Platform
public import UserNotifications

/// The process that runs your extension, where it is not the test's own: a crash, a hang or too much memory then ends
/// that process, as on a device.
///
/// It is an executable target with a single `main.swift`:
///
///     import ExtensionHarness
///     import MyExtension
///
///     ExtensionHost.run { NotificationService() }
///
/// A test names that target among its dependencies, and starts it with
/// `Device(process: .built("MyExtensionHost"))`.
public enum ExtensionHost {
    /// Runs the extension for each push that a `Device` hands over, until that device is gone. The main queue and the
    /// main actor are free for the extension, as in an extension's own process.
    ///
    /// - Parameter makeExtension: Makes the extension's principal object, on the thread that will call it.
    /// - Returns: Never.
    public static func run(_ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) -> Never {
        start(makeExtension)
        dispatchMain()
    }

    /// The same in a program whose `main` is asynchronous and therefore has the main queue already.
    package static func serve(_ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) async {
        start(makeExtension)
        // The process ends with the device; a stream that nothing comes out of waits for that.
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in end {}
        continuation.finish()
    }

    private static func start(_ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) {
        guard let channel = HostChannel() else {
            HostChannel.explain()
            exit(2)
        }
        let hosted = HostedExtension(channel: channel, makeExtension: makeExtension)
        let reader = Thread {
            hosted.serve()
            exit(0)
        }
        reader.name = "ExtensionHost"
        reader.start()
    }
}
