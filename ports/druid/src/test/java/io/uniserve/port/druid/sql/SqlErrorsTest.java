package io.uniserve.port.druid.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import org.apache.druid.query.QueryCapacityExceededException;
import org.apache.druid.query.QueryInterruptedException;
import org.apache.druid.query.ResourceLimitExceededException;
import org.junit.jupiter.api.Test;

class SqlErrorsTest {
    @Test
    void errorsOfQueriesHaveTheirCodes() {
        assertThat(SqlErrors.of(new QueryCapacityExceededException(6)).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(SqlErrors.of(new ResourceLimitExceededException("rows")).code())
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(SqlErrors.of(new QueryInterruptedException(new InterruptedException()))
                        .code())
                .isEqualTo(ErrorCode.CANCELLED);
    }
}
