import HTTP

final class APIExchange: HTTPExchange {
    private let application: APIApplication
    private let admission: APIAdmission

    init(_ application: APIApplication, _ admission: APIAdmission) {
        self.application = application
        self.admission = admission
    }

    func finish(_ body: HTTPBody, _ responder: HTTPResponder) {
        switch body {
        case .whole(let bytes):
            guard admission.route.body != .none || bytes.isEmpty else {
                return refuse(APIApplication.noBody, responder)
            }
            run(APICall(admission, body: bytes), responder)
        case .tooLarge(let byteCount):
            guard admission.route.body != .none else { return refuse(APIApplication.noBody, responder) }
            let byteCountMax = APICall.bodyByteCountMax(admission.route.operation, admission.settings.limits)
            var problem = Problem(.bodyTooLarge, "Send less in one request: the body may have \(byteCountMax) bytes.")
            problem.byteCount = byteCount
            problem.byteCountMax = byteCountMax
            refuse(problem, responder)
        case .noRoom:
            var problem = Problem(.tooManyRequests, "Send it again later; too many bodies are being read.")
            problem.retryAfterSeconds = 1
            refuse(problem, responder)
        }
    }

    private func refuse(_ problem: Problem, _ responder: HTTPResponder) {
        responder.respond(application.refuse(problem))
    }

    private func run(_ call: APICall, _ responder: HTTPResponder) {
        do throws(Problem) { try application.willAnswer(call) } catch { return refuse(error, responder) }
        application.answer(call) { [application] answer in
            responder.respond(answer)
            application.didAnswer(call, status: answer.status)
        }
    }
}
