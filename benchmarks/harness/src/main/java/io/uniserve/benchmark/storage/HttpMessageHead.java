package io.uniserve.benchmark.storage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Head of a request or answer of HTTP/1.1: the bytes as they came, and the headers that determine the length of the body.
 *
 * @param bytes first line and header lines with the empty line behind them
 * @param firstLine method, target and version, or version, status and reason
 * @param headers the other lines in lower case, without the empty one
 */
record HttpMessageHead(byte[] bytes, String firstLine, List<String> headers) {
    private static final int BYTES_MAX = 64 << 10;
    private static final int LINE_ENDS = 4;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    /** Reads a head. Returns null if the stream ends before its first byte. */
    static @Nullable HttpMessageHead read(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int ends = 0;
        while (ends < LINE_ENDS) {
            int next = in.read();
            if (next < 0) {
                if (bytes.size() == 0) {
                    return null;
                }
                throw new IOException("the connection ended within a head");
            }
            boolean isEnd = next == (ends % 2 == 0 ? '\r' : '\n');
            ends = isEnd ? ends + 1 : next == '\r' ? 1 : 0;
            bytes.write(next);
            if (bytes.size() > BYTES_MAX) {
                throw new IOException("a head has more than " + BYTES_MAX + " bytes");
            }
        }
        List<String> lines = bytes.toString(StandardCharsets.ISO_8859_1).lines().toList();
        return new HttpMessageHead(
                bytes.toByteArray(),
                lines.get(0),
                lines.stream()
                        .skip(1)
                        .filter(line -> !line.isEmpty())
                        .map(line -> line.toLowerCase(Locale.ROOT))
                        .toList());
    }

    /** Returns the method of a request. */
    String method() {
        return word(0);
    }

    /** Returns the target of a request. */
    String target() {
        return word(1);
    }

    /** Returns the status of an answer. */
    int status() throws IOException {
        try {
            return Integer.parseInt(word(1));
        } catch (NumberFormatException e) {
            throw new IOException("an answer starts with \"" + firstLine + "\"", e);
        }
    }

    private String word(int index) {
        String[] words = firstLine.split(" ");
        return index < words.length ? words[index] : "";
    }

    /** True if the sender waits for status 100 before it sends the body. */
    boolean expectsContinue() {
        return header("expect").contains("100-continue");
    }

    /** True if the connection ends after the message. */
    boolean closes() {
        return header("connection").contains("close");
    }

    /** True if the body is a series of chunks, each with its length. */
    boolean isChunked() {
        return header("transfer-encoding").contains("chunked");
    }

    /** Returns the length of the body in bytes; -1 without one in the head. */
    long contentLength() throws IOException {
        String value = header("content-length");
        if (value.isEmpty()) {
            return -1;
        }
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IOException("content-length is \"" + value + "\"", e);
        }
    }

    /** True if an answer to this method has a body. */
    boolean hasBody(String method) throws IOException {
        int status = status();
        return !method.equals("HEAD") && status >= 200 && status != NO_CONTENT && status != NOT_MODIFIED;
    }

    private String header(String name) {
        return headers.stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
