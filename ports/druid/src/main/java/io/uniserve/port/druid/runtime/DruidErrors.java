package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.uniserve.api.EngineErrorMapper;
import io.uniserve.error.ErrorCode;
import java.util.Optional;
import java.util.Set;
import org.apache.druid.error.DruidException;
import org.apache.druid.java.util.common.IAE;
import org.apache.druid.java.util.common.UOE;
import org.apache.druid.java.util.common.parsers.ParseException;
import org.apache.druid.query.QueryCapacityExceededException;
import org.apache.druid.query.QueryInterruptedException;
import org.apache.druid.query.QueryTimeoutException;
import org.apache.druid.query.QueryUnsupportedException;
import org.apache.druid.query.ResourceLimitExceededException;
import org.apache.druid.query.groupby.epinephelinae.UnexpectedMultiValueDimensionException;

/** Translation of Druid's exceptions to error codes. */
public final class DruidErrors {
    /** The translator. Every call into Druid goes through it. */
    public static final EngineErrorMapper DRUID = new EngineErrorMapper("Druid", DruidErrors::code)
            .withMessages(message -> message.equals(DruidErrors.NO_JAVASCRIPT)
                    ? "type javascript is disabled: use an expression"
                    : message);

    private static final String NO_JAVASCRIPT = "JavaScript is disabled";
    private static final Set<String> UNSUPPORTED_STATES = Set.of(NO_JAVASCRIPT, "Cannot vectorize!");

    private DruidErrors() {}

    private static Optional<ErrorCode> code(Throwable failure) {
        if (failure instanceof DruidException druid) {
            return category(druid.getCategory());
        }
        if (failure instanceof QueryTimeoutException) {
            return Optional.of(ErrorCode.DEADLINE_EXCEEDED);
        }
        if (failure instanceof QueryInterruptedException) {
            return Optional.of(ErrorCode.CANCELLED);
        }
        if (failure instanceof ResourceLimitExceededException) {
            return Optional.of(ErrorCode.TOO_LARGE); // at any other server too
        }
        if (failure instanceof QueryCapacityExceededException) {
            return Optional.of(ErrorCode.RESOURCE_EXHAUSTED);
        }
        if (failure instanceof QueryUnsupportedException || failure instanceof UOE) {
            return Optional.of(ErrorCode.UNSUPPORTED);
        }
        if (failure instanceof IllegalStateException && UNSUPPORTED_STATES.contains(failure.getMessage())) {
            return Optional.of(ErrorCode.UNSUPPORTED);
        }
        boolean user = failure instanceof IAE
                || failure instanceof UnexpectedMultiValueDimensionException
                || failure instanceof IllegalArgumentException
                || failure instanceof ParseException
                || failure instanceof JsonProcessingException;
        return user ? Optional.of(ErrorCode.INVALID_ARGUMENT) : Optional.empty();
    }

    private static Optional<ErrorCode> category(DruidException.Category category) {
        return switch (category) {
            case INVALID_INPUT, NOT_FOUND, FORBIDDEN, UNAUTHORIZED -> Optional.of(ErrorCode.INVALID_ARGUMENT);
            case UNSUPPORTED -> Optional.of(ErrorCode.UNSUPPORTED);
            case CAPACITY_EXCEEDED -> Optional.of(ErrorCode.RESOURCE_EXHAUSTED);
            case TIMEOUT -> Optional.of(ErrorCode.DEADLINE_EXCEEDED);
            case CANCELED -> Optional.of(ErrorCode.CANCELLED);
            default -> Optional.empty();
        };
    }
}
