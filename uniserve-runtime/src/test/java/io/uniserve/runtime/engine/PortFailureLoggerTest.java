package io.uniserve.runtime.engine;

import static io.uniserve.runtime.engine.HostWorld.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.async.Waiter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Exceptions of a port are logged with their stack traces, at a limited rate, and named in the error. */
class PortFailureLoggerTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(PortFailureLogger.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong();
    private final PortFailureLogger log = new PortFailureLogger(nanos::get);

    @BeforeEach
    void listen() {
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    private List<ILoggingEvent> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
    }

    @Test
    void aFailureIsLoggedWithItsStackTraceOnceAMinute() {
        for (int i = 0; i < 5; i++) {
            log.log("port x: operator y@1", failure("i = " + i));
        }
        assertThat(warnings()).hasSize(1);
        assertThat(warnings().get(0).getFormattedMessage()).isEqualTo("port x: operator y@1 failed");
        assertThat(warnings().get(0).getThrowableProxy().getStackTraceElementProxyArray())
                .isNotEmpty();
        nanos.addAndGet(PortFailureLogger.PERIOD_NANOS);
        log.log("port x: operator y@1", failure("again"));
        assertThat(warnings()).hasSize(2);
        assertThat(warnings().get(1).getFormattedMessage()).contains("4 more failures of this kind");
    }

    @Test
    void whatWrapsAFailureIsOfItsKindAndOtherPlacesAreNot() {
        IllegalStateException failure = failure("bug");
        log.log("inner", failure);
        log.log("outer", new UniserveException(ErrorCode.PORT_FAILED, "inner failed", failure));
        assertThat(warnings()).hasSize(1);
        log.log("elsewhere", new IllegalStateException("bug"));
        assertThat(warnings()).hasSize(2);
    }

    @Test
    void usersErrorsAndReportsOfOtherServersAreNotLogged() {
        log.log("a query", UniserveException.invalid("unknown field"));
        Attempt attempt = new Attempt("s1", ErrorCode.PORT_FAILED, "failed there");
        log.log("a query", new UniserveException(ErrorCode.PORT_FAILED, "no copy answers", List.of(attempt), null));
        assertThat(lines.list).isEmpty();
    }

    @Test
    void manyKindsTakeNoMoreThanTheirRoom() {
        for (int i = 0; i < 2 * PortFailureLogger.KINDS_MAX; i++) {
            IllegalStateException failure = new IllegalStateException();
            failure.setStackTrace(new StackTraceElement[] {new StackTraceElement("Port", "run", "Port.java", i)});
            log.log("an update", failure);
        }
        assertThat(warnings()).hasSize(2 * PortFailureLogger.KINDS_MAX);
    }

    @Test
    void aCheckpointThatFailsNamesClassAndMessageAndIsLogged(@TempDir Path directory) {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            for (Throwable failure : List.of(
                    new IllegalStateException("no files today"), new NoClassDefFoundError("com/example/Gone"))) {
                int before = warnings().size();
                port.writeFailure = failure;
                UniserveException error = Waiter.<Done>error(done -> world.host.checkpoint(KEY, "c", done));
                assertThat(error.code()).isEqualTo(ErrorCode.PORT_FAILED);
                assertThat(error.reason())
                        .isEqualTo("port testing: writing a checkpoint failed with "
                                + failure.getClass().getName() + ": " + failure.getMessage());
                assertThat(warnings()).hasSize(before + 1);
                assertThat(warnings().get(before).getFormattedMessage())
                        .isEqualTo("port testing: writing a checkpoint failed");
                assertThat(warnings().get(before).getThrowableProxy().getClassName())
                        .isEqualTo(failure.getClass().getName());
            }
        }
    }

    private static IllegalStateException failure(String message) {
        return new IllegalStateException(message);
    }
}
