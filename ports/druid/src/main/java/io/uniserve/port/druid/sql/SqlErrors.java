package io.uniserve.port.druid.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import org.apache.druid.error.DruidException;
import org.apache.druid.java.util.common.IAE;
import org.apache.druid.java.util.common.UOE;
import org.apache.druid.query.QueryCapacityExceededException;
import org.apache.druid.query.QueryInterruptedException;
import org.apache.druid.query.QueryTimeoutException;
import org.apache.druid.query.ResourceLimitExceededException;
import org.apache.druid.sql.calcite.rel.CannotBuildQueryException;

/**
 * Mapping of exceptions of Druid's planner and of its queries to error codes. Invalid statements are INVALID_ARGUMENT, with line and column if
 * the planner reports them. Statements that no native query can answer are UNSUPPORTED, exceeded limits TOO_LARGE.
 */
final class SqlErrors {
    private static final int MESSAGE_CHARS_MAX = 500;

    /** Start of the planner's message for a valid statement without a native query. */
    private static final String UNPLANNABLE = "Query could not be planned";

    /** Part of the planner's message for INSERT and REPLACE. */
    private static final String OTHER_ENGINE = "not supported by requested SQL engine";

    /** Part of the planner's messages for statements that write. */
    private static final String ENGINE = "SQL engine [native]";

    /** Part of the planner's message for arguments that a table function does not have. */
    private static final String ARGUMENT = IAE.class.getName();

    private SqlErrors() {}

    static UniserveException of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UniserveException known) {
                return known;
            }
        }
        ErrorCode code = code(failure);
        String message = failure instanceof StackOverflowError
                ? "the statement is nested too deeply: use fewer levels"
                : PrintableText.line(String.valueOf(failure.getMessage()), MESSAGE_CHARS_MAX);
        String remedy = message.contains(ENGINE)
                ? "; use an update function"
                : message.contains(ARGUMENT) ? "; remove it, or use a table" : "";
        return new UniserveException(code, "SQL: " + message + remedy, failure);
    }

    private static boolean isUnsupported(String message) {
        return message.startsWith(UNPLANNABLE) || message.contains(OTHER_ENGINE);
    }

    private static ErrorCode code(Throwable failure) {
        if (failure instanceof DruidException druid) {
            return switch (druid.getCategory()) {
                case INVALID_INPUT, NOT_FOUND ->
                    isUnsupported(String.valueOf(druid.getMessage()))
                            ? ErrorCode.UNSUPPORTED
                            : ErrorCode.INVALID_ARGUMENT;
                case UNSUPPORTED -> ErrorCode.UNSUPPORTED;
                case UNAUTHORIZED, FORBIDDEN -> ErrorCode.UNAUTHORIZED;
                case CAPACITY_EXCEEDED -> ErrorCode.RESOURCE_EXHAUSTED;
                case CANCELED -> ErrorCode.CANCELLED;
                case TIMEOUT -> ErrorCode.DEADLINE_EXCEEDED;
                case SERVICE_UNAVAILABLE -> ErrorCode.UNAVAILABLE;
                case DEFENSIVE, RUNTIME_FAILURE, UNCATEGORIZED ->
                    String.valueOf(druid.getMessage()).contains(ARGUMENT)
                            ? ErrorCode.INVALID_ARGUMENT
                            : ErrorCode.PORT_FAILED;
            };
        }
        if (failure instanceof ResourceLimitExceededException) {
            return ErrorCode.TOO_LARGE; // at any other server too
        }
        if (failure instanceof QueryCapacityExceededException) {
            return ErrorCode.RESOURCE_EXHAUSTED;
        }
        if (failure instanceof QueryTimeoutException) {
            return ErrorCode.DEADLINE_EXCEEDED;
        }
        if (failure instanceof QueryInterruptedException) {
            return ErrorCode.CANCELLED;
        }
        if (failure instanceof CannotBuildQueryException
                || failure instanceof UOE
                || failure instanceof UnsupportedOperationException) {
            return ErrorCode.UNSUPPORTED;
        }
        return failure instanceof IAE || failure instanceof StackOverflowError
                ? ErrorCode.INVALID_ARGUMENT
                : ErrorCode.PORT_FAILED;
    }
}
