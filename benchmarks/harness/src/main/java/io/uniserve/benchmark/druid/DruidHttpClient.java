package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Client of native Druid's HTTP interfaces. Connections are kept. Thread-safe. Failures are UNAVAILABLE, other statuses INTERNAL. */
final class DruidHttpClient {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    /** Deadline of queries while servers are killed, on both sides. */
    static final Duration SHORT = Duration.ofSeconds(5);

    private static final int OK = 200;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final Address broker;
    private final Address coordinator;
    private final Address segments;

    DruidHttpClient(Address broker, Address coordinator, Address segments) {
        this.broker = broker;
        this.coordinator = coordinator;
        this.segments = segments;
    }

    Address coordinatorAddress() {
        return coordinator;
    }

    Address segmentsAddress() {
        return segments;
    }

    /** Answers a native query through the broker, as unparsed JSON. */
    String query(String json) {
        return send(request(broker, "/druid/v2/")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    /** Answers a native query through the broker, or fails after {@link #SHORT}. */
    String queryShortly(String json) {
        return send(request(broker, "/druid/v2/")
                .timeout(SHORT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    /** Returns the answer of the coordinator to a GET. */
    JsonNode coordinator(String path) {
        return parse(send(request(coordinator, path).GET().build()));
    }

    /** Posts JSON; returns the answer, which may be empty. */
    JsonNode post(Address to, String path, String json) {
        return parse(send(request(to, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build()));
    }

    private static HttpRequest.Builder request(Address to, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + to + path)).timeout(TIMEOUT);
    }

    private String send(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != OK) {
                throw new UniserveException(
                        ErrorCode.INTERNAL,
                        "native Druid answered " + request.uri() + " with status " + response.statusCode() + ": "
                                + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, request.uri() + ": " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    private static JsonNode parse(String body) {
        try {
            return JSON.readTree(body.isEmpty() ? "{}" : body);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "native Druid answered with no JSON: " + body, e);
        }
    }
}
