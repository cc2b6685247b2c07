internal import Platform
public import UserNotifications

/// Extension's own process: a crash, a hang or too much memory ends only that, as on a device.
///
/// Its executable target has a single `main.swift`:
///
///     import ExtensionHarness
///     import MyExtension
///
///     ExtensionHost.run { NotificationService() }
///
/// A test depends on that target, and starts it with `Device(process: .built("MyExtensionHost"))`.
public enum ExtensionHost {
    /// Runs the extension for each push of a `Device`, until that is gone. The extension has the main queue and main
    /// actor, as in its own process on iOS.
    public static func run(_ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) -> Never {
        start(makeExtension)
        dispatchMain()
    }

    /// Runs the extension in a program with an asynchronous `main`.
    package static func serve(_ makeExtension: @escaping @Sendable () -> UNNotificationServiceExtension) async {
        start(makeExtension)
        // The process ends with the device; until then this empty stream waits.
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
