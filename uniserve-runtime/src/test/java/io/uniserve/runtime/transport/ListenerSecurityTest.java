package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.tls.Certificates;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A listener that is open beyond loopback says so in one line of the log. */
class ListenerSecurityTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(ListenerSecurity.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

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

    private List<ILoggingEvent> linesOfCheck(String host, String mode) {
        lines.list.clear();
        Map<String, String> values = Map.of("uniserve.server.host", host, "uniserve.security.mode", mode);
        ListenerSecurity.check(Settings.load(Optional.empty(), values), ListenerKind.SERVER);
        return List.copyOf(lines.list);
    }

    @Test
    void openOnAllInterfacesIsWarnedOfInOneLine() {
        List<ILoggingEvent> logged = linesOfCheck("0.0.0.0", "open");
        assertThat(logged).hasSize(1);
        assertThat(logged.get(0).getLevel()).isEqualTo(Level.WARN);
        assertThat(logged.get(0).getFormattedMessage())
                .isEqualTo("uniserve.security.mode = open on 0.0.0.0: everyone who can connect may do everything");
    }

    @Test
    void loopbackIsSilent() {
        assertThat(linesOfCheck("127.0.0.1", "")).isEmpty();
        assertThat(linesOfCheck("::1", "open")).isEmpty();
    }

    @Test
    void aClosedProcessNeedsTheIdentityOfAServerOfItsCluster(@TempDir Path directory) throws Exception {
        Map<String, String> names = Map.of(
                "right", "uri:uniserve://main/server/s1",
                "user", "uri:uniserve://main/user/ann",
                "other", "uri:uniserve://spare/server/s1",
                "none", "dns:localhost");
        for (Map.Entry<String, String> name : names.entrySet()) {
            Certificates.make(directory, name.getKey(), name.getValue());
            TlsFiles files = Certificates.files(directory, name.getKey(), name.getKey(), false);
            Settings settings = Settings.load(
                    Optional.empty(),
                    Map.of(
                            "uniserve.cluster", "main",
                            "uniserve.tls.enabled", "true",
                            "uniserve.tls.certificate-file",
                                    files.certificate().orElseThrow().toString(),
                            "uniserve.tls.key-file", files.key().orElseThrow().toString(),
                            "uniserve.tls.trust-file",
                                    files.trust().orElseThrow().toString()));
            for (ListenerKind kind : ListenerKind.values()) {
                if (name.getKey().equals("right")) {
                    ListenerSecurity.check(settings, kind);
                } else {
                    assertThatThrownBy(() -> ListenerSecurity.check(settings, kind))
                            .isInstanceOfSatisfying(
                                    UniserveException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                            .hasMessageContaining("uniserve.tls.certificate-file")
                            .hasMessageContaining("uniserve.cluster = main");
                }
            }
        }
    }
}
