package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.solr.common.SolrException;
import org.apache.solr.search.SyntaxError;
import org.jspecify.annotations.Nullable;

/** Turns what Solr throws into errors with a stable code. */
final class SolrFailure {
    private static final int MESSAGE_CHARS_MAX = 300;
    private static final int BAD_REQUEST = SolrException.ErrorCode.BAD_REQUEST.code;

    private SolrFailure() {}

    /** Runs the work; failures come out as UniserveException. */
    static <T> T translated(String what, Callable<T> work) {
        try {
            return work.call();
        } catch (Exception e) {
            throw translate(what, e);
        }
    }

    private static UniserveException translate(String what, Exception failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UniserveException known) {
                return known;
            }
            boolean users = cause instanceof SyntaxError
                    || cause instanceof NumberFormatException
                    || (cause instanceof SolrException solr && solr.code() == BAD_REQUEST);
            if (users) {
                return new UniserveException(
                        ErrorCode.INVALID_ARGUMENT, "Solr: " + printable(cause.getMessage()), failure);
            }
        }
        ErrorCode code = failure instanceof IOException ? ErrorCode.IO : ErrorCode.PORT_FAILED;
        return new UniserveException(code, "Solr cannot " + what + ": " + printable(failure.getMessage()), failure);
    }

    /** The text, cut and without control characters, fit for an error message. */
    static String printable(@Nullable String message) {
        String text = String.valueOf(message);
        String cut = text.length() > MESSAGE_CHARS_MAX ? text.substring(0, MESSAGE_CHARS_MAX) + "..." : text;
        return cut.replaceAll("\\p{Cntrl}+", " ");
    }
}
