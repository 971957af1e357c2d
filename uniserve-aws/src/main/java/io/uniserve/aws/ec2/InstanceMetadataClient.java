package io.uniserve.aws.ec2;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.time.SystemClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Client of an EC2 instance's metadata, version 2: each request has a token, which is renewed when the service refuses it. No proxy, no
 * redirect, bounded answers. Not thread-safe.
 */
final class InstanceMetadataClient {
    private static final String TOKEN_PATH = "/latest/api/token";
    private static final String TOKEN_SECONDS = "21600";
    private static final int TIMEOUT_MILLIS = 1_000;
    /** Longest time of a whole answer. */
    private static final long ANSWER_NANOS_MAX = 2_000_000_000L;

    private static final int ANSWER_BYTES_MAX = 4_096;

    private final String endpoint;
    private final String variable;
    private @Nullable String token;

    /** Creates a client; {@code variable} is named in the error about a wrong endpoint. */
    InstanceMetadataClient(String endpoint, String variable) {
        this.endpoint = endpoint.endsWith("/") ? endpoint.substring(0, endpoint.length() - 1) : endpoint;
        this.variable = variable;
    }

    private record Answer(int status, String body) {}

    /**
     * Reads the entry at the path; empty if there is none.
     *
     * @throws UniserveException UNAVAILABLE if there is no answer; IO if it is too large or an error; INVALID_CONFIGURATION for a wrong
     *     endpoint
     */
    Optional<String> read(String path) {
        String known = token;
        Answer answer = get(path, known == null ? newToken() : known);
        if (answer.status == HttpURLConnection.HTTP_UNAUTHORIZED && known != null) {
            answer = get(path, newToken());
        }
        return switch (answer.status) {
            case HttpURLConnection.HTTP_OK -> Optional.of(answer.body);
            case HttpURLConnection.HTTP_NOT_FOUND -> Optional.empty();
            default -> throw refused("GET " + path, answer.status);
        };
    }

    private Answer get(String path, String with) {
        return send("GET", path, "X-aws-ec2-metadata-token", with);
    }

    private String newToken() {
        token = null;
        Answer answer = send("PUT", TOKEN_PATH, "X-aws-ec2-metadata-token-ttl-seconds", TOKEN_SECONDS);
        String text = answer.body.strip();
        if (answer.status != HttpURLConnection.HTTP_OK) {
            throw refused("PUT " + TOKEN_PATH, answer.status);
        } else if (!text.matches("[!-~]+")) {
            throw new UniserveException(
                    ErrorCode.IO, endpoint + " answered PUT " + TOKEN_PATH + " with a text that is no token");
        }
        token = text;
        return text;
    }

    private UniserveException refused(String request, int status) {
        return new UniserveException(
                ErrorCode.IO,
                endpoint + " answered " + request + " with status " + status
                        + ": enable the instance's metadata with tokens (IMDSv2)");
    }

    private Answer send(String method, String path, String header, String value) {
        HttpURLConnection connection = null;
        try {
            connection = open(path);
            connection.setRequestMethod(method);
            connection.setRequestProperty(header, value);
            int status = connection.getResponseCode();
            return new Answer(status, status == HttpURLConnection.HTTP_OK ? body(connection, method + " " + path) : "");
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "no answer of the instance's metadata to " + method + " " + endpoint + path + " (" + e
                            + "): is this machine an instance of EC2?",
                    e);
        } finally {
            if (connection != null) {
                connection.disconnect();
            }
        }
    }

    private HttpURLConnection open(String path) throws IOException {
        if (!endpoint.matches("http://[A-Za-z0-9.:\\[\\]-]+")) {
            throw wrongEndpoint(null);
        }
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(endpoint + path).toURL().openConnection(Proxy.NO_PROXY);
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            return connection;
        } catch (IllegalArgumentException e) {
            throw wrongEndpoint(e);
        }
    }

    private UniserveException wrongEndpoint(@Nullable Throwable cause) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                variable + " is \"" + endpoint + "\": use http://HOST:PORT, or unset it",
                cause);
    }

    private String body(HttpURLConnection connection, String request) throws IOException {
        long start = SystemClock.INSTANCE.nanos();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[ANSWER_BYTES_MAX + 1];
        try (InputStream in = connection.getInputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                bytes.write(buffer, 0, n);
                if (bytes.size() > ANSWER_BYTES_MAX) {
                    connection.disconnect(); // close alone would read the rest
                    throw new UniserveException(
                            ErrorCode.IO,
                            endpoint + " answered " + request + " with more than " + ANSWER_BYTES_MAX + " bytes");
                } else if (SystemClock.INSTANCE.nanos() - start > ANSWER_NANOS_MAX) {
                    throw new IOException("the answer takes too long");
                }
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
