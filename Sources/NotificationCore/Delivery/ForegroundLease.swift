package import Envelope
import Keys
import Platform

/// How a running app says that it takes messages itself. A promise that ends by itself: neither a crash of the app nor a
/// jump of the clock silences anything for longer than 35 seconds.
///
/// A file with the time of its end, 8 bytes, written whole or not at all; nobody locks it, and nobody waits for it.
package struct ForegroundLease: Sendable {
    /// The longest that an app can promise at once.
    package static let durationMax: Duration = .seconds(30)
    /// Between the app's look at the clock and the extension's.
    private static let skewMax: Duration = .seconds(5)

    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// The app's side: from now on, for so long. Renewing is taking again.
    package func take(for duration: Duration, now: Timestamp) throws(ContainerError) {
        precondition(duration > .zero && duration <= Self.durationMax)
        var bytes: [UInt8] = []
        bytes.append(bigEndian: now.advanced(by: duration).milliseconds)
        do throws(FileError) {
            try WholeFile.write(bytes, to: path, access: .protected(.untilFirstUnlock))
        } catch {
            throw ContainerError(error)
        }
    }

    package func release() throws(ContainerError) {
        do throws(FileError) { try PrivateFolder.remove(path) } catch { throw ContainerError(error) }
    }

    /// The extension's side. A file that is damaged, or that cannot be read, promises nothing; neither does an end that no
    /// app can have promised under this clock.
    package func isHeld(now: Timestamp) -> Bool {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try WholeFile.read(path, byteCountMax: 8) } catch { return false }
        var reader = ByteReader(bytes[...])
        guard bytes.count == 8, let end = reader.take(UInt64.self).map({ Timestamp(milliseconds: $0) }) else {
            return false
        }
        return now < end && end <= now.advanced(by: Self.durationMax).advanced(by: Self.skewMax)
    }
}

/// What the extension does while the app has said that it takes messages itself.
public enum ForegroundPolicy: Hashable, Sendable {
    /// Shows every message: whoever is first, app or extension, makes it a replay for the other.
    case show
    /// Keeps the message for the app, sealed, and shows the app's neutral words; a message that cannot be kept is shown.
    case leaveToApp
}
