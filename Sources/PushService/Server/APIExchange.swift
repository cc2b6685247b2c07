import Transport

/// A request whose body is being read.
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
            guard admission.route.body == .json || bytes.isEmpty else {
                return refuse(APIApplication.noBody, responder)
            }
            run(APICall(admission, body: bytes), responder)
        case .tooLarge(let byteCount):
            guard admission.route.body == .json else { return refuse(APIApplication.noBody, responder) }
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
        if call.route.operation == .postNotifications, call.isSmall {
            return application.submissions.value.begin(call) { [application] answer in
                responder.respond(answer)
                application.didAnswer(call, status: answer.status)
            }
        }
        // It touches what lives on the loop, and runs there. It ends with the store's last answer, and is not called off
        // when the request breaks off: what was begun to be stored is stored.
        Task(executorPreference: application.context.loop) { [application] in
            let answer = await application.answer(call)
            responder.respond(answer)
            application.didAnswer(call, status: answer.status)
        }
    }
}
