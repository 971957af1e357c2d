package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

/** A call on a closing connection fails as a lost connection, whatever code gRPC uses. */
class StatusMappingTest {
    private static ErrorCode told(Status status, boolean sent, boolean idempotent) {
        return StatusMapping.fromStatus(status.asRuntimeException(), "server:1", sent, idempotent)
                .code();
    }

    @Test
    void aClosedChannelIsALostConnection() {
        Status closed = Status.UNKNOWN.withDescription("channel closed").withCause(new ClosedChannelException());
        assertThat(told(closed, false, false)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(told(closed, true, true)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(told(closed, true, false)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void aCutFrameIsALostConnection() {
        Status cut = Status.INTERNAL.withCause(new IllegalStateException("write", new EOFException("half a frame")));
        assertThat(told(cut, true, true)).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(told(cut, true, false)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void aFaultWithoutALostConnectionStaysOne() {
        assertThat(told(Status.INTERNAL.withCause(new IllegalStateException("bug")), true, true))
                .isEqualTo(ErrorCode.INTERNAL);
        assertThat(told(Status.UNKNOWN, true, true)).isEqualTo(ErrorCode.INTERNAL);
        assertThat(told(Status.DATA_LOSS.withCause(new IOException("file")), true, true))
                .isEqualTo(ErrorCode.INTERNAL);
    }

    @Test
    void whatTheServerToldStandsOverTheCause() {
        UniserveException refused = new UniserveException(ErrorCode.INTERNAL, "the server's own");
        assertThat(StatusMapping.fromStatus(StatusMapping.toStatus(refused), "server:1", true, true)
                        .code())
                .isEqualTo(ErrorCode.INTERNAL);
    }
}
