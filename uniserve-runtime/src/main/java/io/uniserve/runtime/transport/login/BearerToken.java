package io.uniserve.runtime.transport.login;

import io.grpc.Metadata;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Token in the header of a call, {@code authorization: Bearer TOKEN}, and its end in the trailers. */
public final class BearerToken {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** In the trailers of a call that was refused because its token is not valid any more; it was not executed. */
    private static final Metadata.Key<String> ENDED =
            Metadata.Key.of("uniserve-login-ended", Metadata.ASCII_STRING_MARSHALLER);

    private static final String SCHEME = "Bearer ";

    private BearerToken() {}

    /** Headers with a token. */
    static Metadata headers(String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, SCHEME + token);
        return headers;
    }

    /** The token in the headers; empty without one. Fails with UNAUTHORIZED if they have several, or another scheme. */
    public static Optional<String> of(Metadata headers) {
        Iterable<String> values = headers.getAll(AUTHORIZATION);
        if (values == null) {
            return Optional.empty();
        }
        String only = null;
        for (String value : values) {
            if (only != null || !value.startsWith(SCHEME)) {
                throw new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        "header authorization: send it once, as Bearer and the token of a login to this process");
            }
            only = value;
        }
        return Optional.ofNullable(only).map(value -> value.substring(SCHEME.length()));
    }

    /** Marks trailers: the caller must log in again. */
    public static void setEnded(Metadata trailers) {
        trailers.put(ENDED, "1");
    }

    /** True if the call was refused because its token is not valid any more. */
    static boolean isEnded(@Nullable Metadata trailers) {
        return trailers != null && trailers.containsKey(ENDED);
    }
}
