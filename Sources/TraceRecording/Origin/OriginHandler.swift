import Basics
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one after the other.
final class OriginHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let content: OriginContent
    private var request: HTTPRequestHead?

    init(_ content: OriginContent) {
        self.content = content
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let answer = OriginAnswer(content, context.channel, request)
        guard request.method == .GET || request.method == .HEAD else {
            return answer.sendText(.methodNotAllowed, "Only GET and HEAD are supported.\n", ["allow": "GET, HEAD"])
        }
        switch OriginPath(request.uri) {
        case .object(let number, let run, let query) where number < content.objects.count:
            answer.sendObject(number, run: run, query)
        case .statistics(let run):
            let served = content.statistics(run)
            let json = JSONWriter.object {
                $0.member("requests", served.requests)
                $0.member("bytes", served.bytes)
            }
            answer.sendText(.ok, json.text, ["content-type": "application/json"])
        default:
            answer.sendText(.notFound, "There is no such object. Request /<run>/<0 to \(content.objects.count - 1)>.\n")
        }
    }
}
