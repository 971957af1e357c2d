package io.uniserve.runtime.transport.http;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.nio.charset.StandardCharsets;

/**
 * Reply of the HTTP listener. Immutable.
 *
 * @param status status code
 * @param type type of the text, for the header Content-Type
 */
public record HttpReply(int status, String type, String text) {
    /** Status of a page. */
    public static final int OK = 200;

    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int FAILED = 500;
    /** Status of a process that is not live or not ready. */
    public static final int UNAVAILABLE = 503;

    private static final String JSON = "application/json";

    static HttpReply plain(int status, String text) {
        return new HttpReply(status, "text/plain; charset=utf-8", text + "\n");
    }

    /** A reply with a JSON object. */
    public static HttpReply json(int status, String object) {
        return new HttpReply(status, JSON, object + "\n");
    }

    /** A refusal, as an object with its code and its reason. */
    public static HttpReply of(UniserveException error) {
        return json(
                error.code() == ErrorCode.UNAVAILABLE ? UNAVAILABLE : FORBIDDEN,
                "{\"error\":\"" + error.code() + "\",\"message\":" + quoted(error.reason()) + "}");
    }

    /** The text as a JSON string. Control characters become blanks. */
    public static String quoted(String text) {
        return '"'
                + PrintableText.line(text, text.length()).replace("\\", "\\\\").replace("\"", "\\\"")
                + '"';
    }

    byte[] body() {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
