package io.uniserve.aws.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * S3 over HTTP, in memory, with faults by script. It has what Uniserve sends: put, get, head, delete, list, uploads in parts, conditions. It
 * checks the access key, but no signature.
 */
final class TestingS3Server implements AutoCloseable {
    static final String BUCKET = "bucket";
    static final String ACCESS_KEY = "testing";

    private final HttpServer server;
    private final ExecutorService pool = Executors.newCachedThreadPool();
    final TreeMap<String, Stored> objects = new TreeMap<>();
    final TreeMap<String, Upload> uploads = new TreeMap<>();
    final List<String> requests = new ArrayList<>();
    /** Fault of a request by its line, such as {@code PUT /bucket/key}. */
    volatile Function<String, Fault> faults = line -> Fault.NONE;

    volatile boolean ignoresConditions;
    volatile boolean keepsVersions;
    /** Lists are never complete, and name no next page. */
    volatile boolean losesTokens;

    private final List<Runnable> late = new ArrayList<>();
    private int number;

    /** What happens to a request. */
    enum Fault {
        NONE,
        /** The connection ends before anything is done. */
        LOST_REQUEST,
        /** It is done, and the connection ends without an answer. */
        LOST_ANSWER,
        /** It is done, and once more at {@link #repeatLate}. */
        REPEATED,
        /** Half of the answer arrives. */
        HALF_ANSWER,
        SLOW_DOWN,
        CONFLICT,
        SERVER_ERROR,
        DENIED,
        SKEWED,
        OTHER_REGION,
        NOT_S3
    }

    record Stored(byte[] body, Map<String, String> metadata) {
        String tag() {
            return "\"" + HexFormat.of().toHexDigits(Arrays.hashCode(body)) + "\"";
        }
    }

    /** Unfinished upload. */
    record Upload(String key, Map<String, String> metadata, Instant initiated, TreeMap<Integer, byte[]> parts) {}

    /** Answer to a request. */
    private record Answer(int status, Map<String, String> headers, byte[] body) {
        static Answer of(int status, String text) {
            return new Answer(status, Map.of(), text.getBytes(StandardCharsets.UTF_8));
        }

        static Answer error(int status, String code) {
            return of(status, "<Error><Code>" + code + "</Code><Message>" + code + "</Message></Error>");
        }
    }

    TestingS3Server() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.setExecutor(pool);
        server.start();
    }

    String location(String prefix) {
        return "s3://" + BUCKET + "/" + prefix + "?path-style=true&part-mib=5&endpoint=http://127.0.0.1:"
                + server.getAddress().getPort();
    }

    /** Faults for the next requests of a method, one each, and none afterwards. */
    void next(String method, Fault... each) {
        int[] used = new int[1];
        faults = line -> line.startsWith(method) && used[0] < each.length ? each[used[0]++] : Fault.NONE;
    }

    Stored stored(String key) {
        Stored stored = objects.get(key);
        if (stored == null) {
            throw new AssertionError("no object " + key);
        }
        return stored;
    }

    /** Carries out the requests with {@link Fault#REPEATED} once more, as copies of them that were under way for long. */
    synchronized void repeatLate() {
        late.forEach(Runnable::run);
        late.clear();
    }

    @Override
    public void close() {
        server.stop(0);
        pool.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        Answer answer;
        Fault fault;
        synchronized (this) {
            requests.add(line);
            fault = faults.apply(line);
            answer = switch (fault) {
                case LOST_REQUEST -> null;
                case SLOW_DOWN -> Answer.error(503, "SlowDown");
                case CONFLICT -> Answer.error(409, "ConditionalRequestConflict");
                case SERVER_ERROR -> Answer.error(500, "InternalError");
                case DENIED -> Answer.error(403, "AccessDenied");
                case SKEWED -> Answer.error(403, "RequestTimeTooSkewed");
                case OTHER_REGION ->
                    new Answer(
                            301,
                            Map.of("x-amz-bucket-region", "eu-west-3"),
                            Answer.error(301, "PermanentRedirect").body());
                case NOT_S3 -> Answer.of(200, "<html>Welcome</html");
                default -> answer(exchange, body);
            };
            if (fault == Fault.REPEATED) {
                late.add(() -> answer(exchange, body));
            }
        }
        if (answer == null || fault == Fault.LOST_ANSWER) {
            exchange.close();
            return;
        }
        send(exchange, answer, fault == Fault.HALF_ANSWER);
    }

    private static void send(HttpExchange exchange, Answer answer, boolean half) throws IOException {
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        if (isHead) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(answer.body().length));
        }
        boolean empty = isHead || answer.body().length == 0;
        exchange.sendResponseHeaders(answer.status(), empty ? -1 : answer.body().length);
        if (!empty) {
            OutputStream out = exchange.getResponseBody();
            out.write(answer.body(), 0, half ? answer.body().length / 2 : answer.body().length);
            out.flush();
        }
        exchange.close();
    }

    private Answer answer(HttpExchange exchange, byte[] body) {
        String authorization = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        if (!authorization.contains("Credential=" + ACCESS_KEY + "/")) {
            return Answer.error(403, "InvalidAccessKeyId");
        }
        URI uri = exchange.getRequestURI();
        Map<String, String> query = query(uri);
        String path = uri.getPath().substring(1);
        String bucket = path.contains("/") ? path.substring(0, path.indexOf('/')) : path;
        String key = path.substring(Math.min(path.length(), bucket.length() + 1));
        if (!bucket.equals(BUCKET)) {
            return Answer.error(404, "NoSuchBucket");
        }
        return switch (exchange.getRequestMethod()) {
            case "PUT" -> query.containsKey("uploadId") ? part(query, body) : put(exchange, key, body);
            case "POST" -> query.containsKey("uploads") ? start(exchange, key) : complete(exchange, query);
            case "DELETE" -> delete(key, query);
            case "HEAD", "GET" -> key.isEmpty() ? ofBucket(query) : get(exchange, key);
            default -> Answer.error(405, "MethodNotAllowed");
        };
    }

    private static Map<String, String> query(URI uri) {
        Map<String, String> query = new TreeMap<>();
        String raw = uri.getRawQuery();
        for (String pair : raw == null ? new String[0] : raw.split("&")) {
            int equals = pair.indexOf('=');
            query.put(
                    equals < 0 ? pair : pair.substring(0, equals),
                    equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return query;
    }

    private static Map<String, String> metadata(HttpExchange exchange) {
        Map<String, String> metadata = new TreeMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (name.toLowerCase(java.util.Locale.ROOT).startsWith("x-amz-meta-")) {
                metadata.put(name, values.get(0));
            }
        });
        return metadata;
    }

    private @Nullable Answer refused(HttpExchange exchange, String key) {
        Stored old = objects.get(key);
        String tag = exchange.getRequestHeaders().getFirst("If-match");
        boolean absent = exchange.getRequestHeaders().containsKey("If-none-match");
        boolean wrong = absent && old != null || tag != null && (old == null || !tag.equals(old.tag()));
        return wrong && !ignoresConditions ? Answer.error(412, "PreconditionFailed") : null;
    }

    private Answer put(HttpExchange exchange, String key, byte[] body) {
        Answer refused = refused(exchange, key);
        if (refused != null) {
            return refused;
        }
        Stored stored = new Stored(body, metadata(exchange));
        objects.put(key, stored);
        return new Answer(200, Map.of("ETag", stored.tag()), new byte[0]);
    }

    private Answer get(HttpExchange exchange, String key) {
        Stored stored = objects.get(key);
        if (stored == null) {
            return Answer.error(404, "NoSuchKey");
        }
        Map<String, String> headers = new TreeMap<>(stored.metadata());
        headers.put("ETag", stored.tag());
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (range == null) {
            return new Answer(200, headers, stored.body());
        }
        String[] ends = range.substring("bytes=".length()).split("-");
        byte[] part = Arrays.copyOfRange(stored.body(), Integer.parseInt(ends[0]), Integer.parseInt(ends[1]) + 1);
        return new Answer(206, headers, part);
    }

    private Answer delete(String key, Map<String, String> query) {
        if (query.containsKey("uploadId")) {
            return uploads.remove(query.get("uploadId")) == null
                    ? Answer.error(404, "NoSuchUpload")
                    : Answer.of(204, "");
        }
        objects.remove(key);
        return Answer.of(204, "");
    }

    private Answer start(HttpExchange exchange, String key) {
        String id = "upload-" + ++number;
        uploads.put(id, new Upload(key, metadata(exchange), S3StoreProvider.now(), new TreeMap<>()));
        return Answer.of(
                200, "<InitiateMultipartUploadResult><UploadId>" + id + "</UploadId></InitiateMultipartUploadResult>");
    }

    private Answer part(Map<String, String> query, byte[] body) {
        Upload upload = uploads.get(query.get("uploadId"));
        if (upload == null) {
            return Answer.error(404, "NoSuchUpload");
        }
        upload.parts().put(Integer.parseInt(query.getOrDefault("partNumber", "0")), body);
        return new Answer(200, Map.of("ETag", "\"part\""), new byte[0]);
    }

    private Answer complete(HttpExchange exchange, Map<String, String> query) {
        Upload upload = uploads.get(query.get("uploadId"));
        if (upload == null) {
            return Answer.error(404, "NoSuchUpload");
        }
        Answer refused = refused(exchange, upload.key());
        if (refused != null) {
            return refused;
        }
        int size =
                upload.parts().values().stream().mapToInt(part -> part.length).sum();
        byte[] all = new byte[size];
        int at = 0;
        for (byte[] part : upload.parts().values()) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        objects.put(upload.key(), new Stored(all, upload.metadata()));
        uploads.remove(query.get("uploadId"));
        return Answer.of(200, "<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>");
    }

    private Answer ofBucket(Map<String, String> query) {
        if (query.containsKey("versioning")) {
            String status = keepsVersions ? "<Status>Enabled</Status>" : "";
            return Answer.of(200, "<VersioningConfiguration>" + status + "</VersioningConfiguration>");
        }
        if (query.containsKey("uploads")) {
            return Answer.of(
                    200,
                    uploads.entrySet().stream()
                            .map(entry -> "<Upload><Key>" + entry.getValue().key() + "</Key><UploadId>" + entry.getKey()
                                    + "</UploadId><Initiated>"
                                    + entry.getValue().initiated()
                                    + "</Initiated></Upload>")
                            .collect(Collectors.joining(
                                    "", "<ListMultipartUploadsResult>", "</ListMultipartUploadsResult>")));
        }
        return list(query);
    }

    private Answer list(Map<String, String> query) {
        String prefix = query.getOrDefault("prefix", "");
        String after = query.getOrDefault("continuation-token", "");
        int max = Integer.parseInt(query.getOrDefault("max-keys", "1000"));
        List<String> keys = objects.keySet().stream()
                .filter(key -> key.startsWith(prefix) && key.compareTo(after) > 0)
                .limit(max + 1L)
                .toList();
        boolean more = losesTokens || keys.size() > max;
        List<String> page = keys.size() > max ? keys.subList(0, max) : keys;
        StringBuilder xml = new StringBuilder("<ListBucketResult><IsTruncated>" + more + "</IsTruncated>");
        if (more && !losesTokens) {
            xml.append("<NextContinuationToken>").append(page.get(max - 1)).append("</NextContinuationToken>");
        }
        page.forEach(key -> xml.append("<Contents><Key>" + key + "</Key><Size>"
                + Objects.requireNonNull(objects.get(key)).body().length + "</Size></Contents>"));
        return Answer.of(200, xml.append("</ListBucketResult>").toString());
    }
}
