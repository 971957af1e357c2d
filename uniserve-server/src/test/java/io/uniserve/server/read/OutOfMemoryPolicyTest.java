package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutOfMemoryPolicyTest {
    private final List<Throwable> fatal = new ArrayList<>();
    private final OutOfMemoryError error = new OutOfMemoryError("Java heap space");

    @Test
    void aQueryThatWantedTooMuchFailsAlone() {
        OutOfMemoryPolicy faults = new OutOfMemoryPolicy(fatal::add);
        assertThat(faults.onFailure("operator x@1", error).code()).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(fatal).isEmpty();
    }

    @Test
    void theProcessEndsWhenMemoryStaysShort() {
        OutOfMemoryPolicy faults = new OutOfMemoryPolicy(fatal::add, () -> false);
        assertThat(faults.onFailure("operator x@1", error).code()).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(fatal).containsExactly(error);
    }

    @Test
    void anyOtherFailureIsThePorts() {
        OutOfMemoryPolicy faults = new OutOfMemoryPolicy(fatal::add, () -> false);
        assertThat(faults.onFailure("operator x@1", new IllegalStateException("no"))
                        .code())
                .isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(fatal).isEmpty();
    }
}
