import Envelope
import Testing

@testable import NotificationCore

struct AttachmentBoardTests {
    private static func board(_ areThumbnails: [Bool]) -> AttachmentBoard {
        AttachmentBoard(
            areThumbnails.enumerated().compactMap { Samples.attachment(UInt8($0 + 1), isThumbnail: $1) }
        )
    }

    private func file(_ number: Int) -> NotificationContent.Attachment {
        NotificationContent.Attachment(id: "\(number)", path: "/\(number)", type: "public.png")
    }

    @Test func `thumbnails are fetched before all else, and the rest in order`() {
        #expect(Self.board([false, true, false, false]).order == [1, 0, 2, 3])
        #expect(Self.board([true, false, true, false]).order == [0, 2, 1, 3])
        #expect(Self.board([]).order == [])
    }

    @Test func `at first all is missing`() {
        let board = Self.board([true, false])
        #expect(board.fetched.ready.isEmpty && board.fetched.missing.map(\.reason) == [.notFetched, .notFetched])
        #expect(board.fetched.missing.map(\.id) == board.pointers.map(\.id))
    }

    @Test func `a thumbnail is shown until its picture is there, and missing is what it stands in for`() {
        var board = Self.board([true, false])
        board.set(.success(file(0)), at: 0)
        #expect(board.fetched.ready == [file(0)] && board.fetched.missing.map(\.id) == [board.pointers[1].id])
        board.set(.success(file(1)), at: 1)
        #expect(board.fetched.ready == [file(1)] && board.fetched.missing.isEmpty)
        #expect(board.thumbnail(replacedBy: 1) == file(0) && board.thumbnail(replacedBy: 0) == nil)
    }

    @Test func `a picture without its thumbnail lacks nothing`() {
        var board = Self.board([true, false])
        board.set(.failure(.unknownType), at: 0)
        board.set(.success(file(1)), at: 1)
        #expect(board.fetched == FetchedAttachments(ready: [file(1)]))
        #expect(board.thumbnail(replacedBy: 1) == nil)
    }

    @Test func `what arrives in another order is shown in the message's`() {
        var board = Self.board([false, true, false])
        board.set(.success(file(1)), at: 1)
        board.set(.success(file(0)), at: 0)
        board.set(.failure(.notOpened), at: 2)
        #expect(board.fetched.ready == [file(0), file(1)])
        #expect(board.fetched.missing.map(\.reason) == [.notOpened])
    }

    @Test func `a message that lacks an attachment has another outcome`() {
        let content = Samples.content(of: .openedWithoutAttachments)
        #expect(content.missingAttachments.map(\.reason) == [.notFetched])
        #expect(content.with(FetchedAttachments(ready: [file(0)])).kind == .opened)
        let missing = MissingAttachment(id: Self.board([false]).pointers[0].id, reason: .noRoom)
        #expect(
            content.with(FetchedAttachments(ready: [file(0)], missing: [missing])).kind == .openedWithoutAttachments
        )
    }
}
