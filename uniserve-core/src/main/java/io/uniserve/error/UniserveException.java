package io.uniserve.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The only exception type that crosses a public interface of Uniserve. The message names the field or thing that is
 * wrong and the remedy; {@link #tried()} lists what was tried on which replica before giving up.
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

    /** What was tried, oldest first; empty where nothing was. */
    public List<Attempt> tried() {
        return tried;
    }

    @Override
    public String getMessage() {
        String base = code + ": " + super.getMessage();
        return tried.isEmpty() ? base : base + " [tried: " + String.join("; ", DistinctCauses.of(tried)) + "]";
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
