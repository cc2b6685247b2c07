package import Envelope
import Keys
import Platform

/// Lease of an app that handles messages itself: 35 seconds at most, despite crashes and clock jumps.
///
/// The file holds its end, 8 bytes, written atomically, unlocked.
package struct ForegroundLease: Sendable {
    /// Longest lease.
    package static let durationMax: Duration = .seconds(30)
    /// Time between app's and extension's clock readings.
    private static let skewMax: Duration = .seconds(5)

    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// Takes or renews it, in the app.
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

    /// Checks it, in the extension. Damaged or unreadable files do not count, nor ends too far ahead.
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

/// Policy while the app handles messages itself.
public enum ForegroundPolicy: Hashable, Sendable {
    /// Shows every message; the other side sees a replay.
    case show
    /// Keeps the sealed message for the app, with the neutral text; if that fails, shows it.
    case leaveToApp
}
