import Testing

@testable import AttachmentUpload

/// The next request, whatever the host answers.
struct UploadPlanTests {
    private typealias Answer = UploadPlan.Answer

    private static let part = UploadPlan.partByteCountMax

    /// A plan that has begun, with `offset` bytes at the host.
    private func plan(_ byteCount: UInt64, at offset: UInt64) -> UploadPlan {
        var plan = UploadPlan(byteCount: byteCount)
        plan.handle(Answer(status: 201, offset: offset, location: "/v1/uploads/u"))
        return plan
    }

    @Test func `a small file is one request`() {
        var plan = UploadPlan(byteCount: 5)
        #expect(plan.next == .begin(byteCount: 5))
        plan.handle(Answer(status: 201, offset: 5, isComplete: true, location: "/v1/blobs/b"))
        #expect(plan.next == .finish(path: "/v1/blobs/b"))
    }

    @Test func `a large file is one part after another`() {
        var plan = UploadPlan(byteCount: Self.part * 2 + 5)
        #expect(plan.next == .begin(byteCount: Self.part))
        plan.handle(Answer(status: 201, offset: Self.part, location: "/v1/uploads/u"))
        #expect(plan.next == .append(path: "/v1/uploads/u", offset: Self.part, byteCount: Self.part))
        plan.handle(Answer(status: 204, offset: Self.part * 2))
        #expect(plan.next == .append(path: "/v1/uploads/u", offset: Self.part * 2, byteCount: 5))
        plan.handle(Answer(status: 200, offset: Self.part * 2 + 5, isComplete: true, location: "/v1/blobs/b"))
        #expect(plan.next == .finish(path: "/v1/blobs/b"))
    }

    @Test func `behind a broken connection the host is asked, and it goes on there`() {
        var plan = plan(100, at: 10)
        plan.handleFailure(.connectionLost)
        #expect(plan.next == .ask(path: "/v1/uploads/u"))
        plan.handle(Answer(status: 204, offset: 60))
        #expect(plan.next == .append(path: "/v1/uploads/u", offset: 60, byteCount: 40))
        #expect(plan.failureCount == 0)
    }

    @Test func `where the last answer was lost the host still says where the blob is`() {
        var plan = plan(100, at: 10)
        plan.handleFailure(.connectionLost)
        plan.handle(Answer(status: 204, offset: 100, isComplete: true, location: "/v1/blobs/b"))
        #expect(plan.next == .finish(path: "/v1/blobs/b"))
    }

    @Test func `all bytes there and no blob yet is finished by a part of nothing`() {
        var plan = plan(100, at: 10)
        plan.handleFailure(.connectionLost)
        plan.handle(Answer(status: 204, offset: 100))
        #expect(plan.next == .append(path: "/v1/uploads/u", offset: 100, byteCount: 0))
    }

    @Test(arguments: [409, 500, 502, 503, 504]) func `a refusal that may pass is asked about`(_ status: Int) {
        var plan = plan(100, at: 10)
        plan.handle(Answer(status: status, offset: 10))
        #expect(plan.next == .ask(path: "/v1/uploads/u"))
        #expect(plan.failureCount == 1)
    }

    @Test(
        arguments: [
            (401, .unauthorized), (403, .unauthorized), (404, .gone), (413, .tooLarge), (429, .tooManyUploads),
            (507, .noSpace), (400, .refused(status: 400)), (302, .refused(status: 302)), (100, .refused(status: 100)),
        ] as [(Int, UploadError)]
    )
    func `a refusal for good ends it`(_ status: Int, _ error: UploadError) {
        var plan = plan(100, at: 10)
        plan.handle(Answer(status: status, offset: 10, isComplete: true, location: "/v1/blobs/b"))
        #expect(plan.next == .fail(error))
    }

    @Test func `failures without progress end it, with progress they do not`() {
        var plan = plan(100, at: 0)
        for offset in UInt64(1)...20 {
            plan.handleFailure(.connectionLost)
            plan.handle(Answer(status: 204, offset: offset))
        }
        for _ in 1..<UploadPlan.failureCountMax { plan.handleFailure(.connectionLost) }
        #expect(plan.next == .ask(path: "/v1/uploads/u"))
        plan.handleFailure(.connectionLost)
        #expect(plan.next == .fail(.connectionLost))
        var fresh = UploadPlan(byteCount: 5)
        for _ in 0..<UploadPlan.failureCountMax { fresh.handleFailure(.connectionLost) }
        #expect(fresh.next == .fail(.connectionLost))
    }

    @Test func `a host that takes parts and has none of them is not believed for ever`() {
        var plan = plan(100, at: 10)
        var count = 0
        while plan.next != .fail(.malformedAnswer), count < 100 {
            plan.handle(Answer(status: 204, offset: 10))
            count += 1
        }
        #expect(count < 100)
    }

    @Test(arguments: [
        UploadPlan.Answer(status: 201), .init(status: 201, offset: 5), .init(status: 201, location: "/v1/uploads/u"),
        .init(status: 201, offset: 101, location: "/v1/uploads/u"), .init(status: 201, offset: 5, isComplete: true),
    ])
    func `a beginning that says too little or too much ends it`(_ answer: UploadPlan.Answer) {
        var plan = UploadPlan(byteCount: 100)
        plan.handle(answer)
        #expect(plan.next == .fail(.malformedAnswer))
    }
}
