import Glibc
import UserNotifications

final class BrokenExtension: UNNotificationServiceExtension {
    typealias Handler = (UNNotificationContent) -> Void

    private let fault: Fault
    private var contentHandler: Handler?

    init(_ fault: Fault) {
        self.fault = fault
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping Handler
    ) {
        self.contentHandler = contentHandler
        switch fault {
        case .none, .handlerNever, .handlerTooLate, .placeholderKept: break
        case .blocksForever: Misdeed.waitForever()
        case .memoryBurst: Misdeed.takeMemory(stepByteCount: 256 << 20)
        case .noteQueuedThenMemoryBurst:
            Misdeed.queueNote()
            Misdeed.takeMemory(stepByteCount: 256 << 20)
        case .memoryLeak: Misdeed.takeMemory(stepByteCount: 256 << 10)
        case .trap: Misdeed.trap()
        case .badAddress: Misdeed.readBadAddress()
        case .exit: Glibc.exit(0)
        case .garbageReported: Misdeed.report("{\"answered\":7}\n")
        case .lineWithoutEnd: Misdeed.reportWithoutEnd()
        case .strangeNumbersReported: Misdeed.report(#"{"returned":{"_0":-9223372036854775808}}"# + "\n")
        case .channelClosed: shutdown(Misdeed.channel, Int32(SHUT_WR))
        case .flockHeld, .recordLockHeld: Misdeed.lock(isRecord: fault == .recordLockHeld)
        case .filesLeft: Misdeed.leaveFile()
        case .handlerTwice, .handlerTwiceFromTwoThreads, .emptyContent, .invalidAttachment, .blocksAfterAnswering:
            break
        }
        answer(request, contentHandler)
    }

    private func answer(_ request: UNNotificationRequest, _ handler: @escaping Handler) {
        switch fault {
        case .handlerNever, .handlerTooLate: return
        case .placeholderKept: handler(request.content)
        case .emptyContent: handler(UNMutableNotificationContent())
        case .invalidAttachment: handler(Misdeed.contentWithInvalidAttachment())
        case .handlerTwice:
            handler(Misdeed.content("first"))
            handler(Misdeed.content("second"))
        case .handlerTwiceFromTwoThreads: Misdeed.twice { handler(Misdeed.content("either")) }
        case .blocksAfterAnswering:
            handler(Misdeed.content("answered"))
            Misdeed.waitForever()
        case .none: handler(Sighting.content(self))
        default: handler(Misdeed.content("answered"))
        }
    }

    override func serviceExtensionTimeWillExpire() {
        guard fault == .handlerTooLate else { return }
        // Longer than any grace of a test.
        Glibc.sleep(60)
        contentHandler?(Misdeed.content("too late"))
    }
}
