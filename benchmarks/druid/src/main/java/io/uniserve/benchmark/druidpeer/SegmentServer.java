package io.uniserve.benchmark.druidpeer;

import com.fasterxml.jackson.databind.InjectableValues;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.druid.jackson.DefaultObjectMapper;
import org.apache.druid.java.util.common.ISE;
import org.apache.druid.math.expr.ExprMacroTable;
import org.apache.druid.timeline.DataSegment;

/**
 * Process that builds segments and publishes them in Druid's metadata. Request: POST of a {@link SegmentRequest} as JSON to {@code
 * /segments}; the answer has the number of segments, and of bytes, or status 500 with the error.
 */
public final class SegmentServer {
    private static final int OK = 200;
    private static final int ERROR = 500;

    private final ObjectMapper json = new DefaultObjectMapper();
    private final SegmentBuilder builder = new SegmentBuilder(json);

    private SegmentServer() {
        // Druid's aggregators take the macros of expressions from their reader. None is used here.
        json.setInjectableValues(new InjectableValues.Std().addValue(ExprMacroTable.class, ExprMacroTable.nil()));
    }

    /** No arguments. Prints a line when the server accepts requests. */
    public static void main(String[] arguments) throws IOException {
        ParentExit.watch();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        SegmentServer segments = new SegmentServer();
        server.createContext("/segments", segments::answer);
        server.start();
        System.out.println(
                "ready druid-segments 127.0.0.1:" + server.getAddress().getPort() + " pid "
                        + ProcessHandle.current().pid());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            int status = OK;
            byte[] body;
            try {
                body = json.writeValueAsBytes(build(json.readValue(exchange.getRequestBody(), SegmentRequest.class)));
            } catch (IOException | UncheckedIOException | SQLException | ISE e) {
                status = ERROR;
                body = e.toString().getBytes(StandardCharsets.UTF_8);
            }
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private Map<String, Long> build(SegmentRequest request) throws IOException, SQLException {
        // As many at a time as there are cores, like Druid's parallel tasks.
        List<DataSegment> segments = request.parts().parallelStream()
                .map(part -> builder.build(request, part))
                .toList();
        if (!request.metadata().isEmpty()) {
            SegmentPublisher.publish(request.metadata(), builder, segments);
        }
        return Map.of("segments", (long) segments.size(), "bytes", SegmentBuilder.bytes(segments));
    }
}
