package io.uniserve.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The only exception type of Uniserve's public interfaces. The message names the wrong field or object and the remedy. {@link #tried()}
 * lists the failed attempts per replica.
 */
public class UniserveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final transient List<Attempt> tried;

    public UniserveException(ErrorCode code, String message) {
        this(code, message, List.of(), null);
    }

    public UniserveException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, List.of(), cause);
    }

    public UniserveException(ErrorCode code, String message, List<Attempt> tried, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.tried = List.copyOf(tried);
    }

    /** The stable code. */
    public ErrorCode code() {
        return code;
    }

    /** The failed attempts, oldest first; empty if there were none. */
    public List<Attempt> tried() {
        return tried;
    }

    @Override
    public String getMessage() {
        String base = code + ": " + super.getMessage();
        return tried.isEmpty() ? base : base + " [tried: " + String.join("; ", FailureCauseGrouper.of(tried)) + "]";
    }

    /** The message without code and attempts. */
    public String reason() {
        return String.valueOf(super.getMessage());
    }

    /** INVALID_ARGUMENT with this message. */
    public static UniserveException invalid(String message) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /** UNSUPPORTED with this message. */
    public static UniserveException unsupported(String message) {
        return new UniserveException(ErrorCode.UNSUPPORTED, message);
    }
}
