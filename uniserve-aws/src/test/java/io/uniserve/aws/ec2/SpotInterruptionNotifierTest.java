package io.uniserve.aws.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.optional.OptionalJars;
import io.uniserve.runtime.provider.InterruptionNotifier;
import io.uniserve.runtime.provider.InterruptionNotifier.Notice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Notices of interruptions from scripted metadata. */
class SpotInterruptionNotifierTest {
    private static final String ENTRY = "GET /latest/meta-data/spot/instance-action ";

    private TestingMetadataServer metadata;
    private SpotInterruptionNotifier notifier;

    @BeforeEach
    void open() throws IOException {
        metadata = new TestingMetadataServer();
        notifier = new SpotInterruptionNotifier(metadata.endpoint());
    }

    @AfterEach
    void close() {
        metadata.close();
    }

    private void fails(ErrorCode code, String named) {
        assertThatThrownBy(notifier::poll)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(named);
    }

    private void answers(String body) {
        metadata.status = 200;
        metadata.body = body;
    }

    @Test
    void isFoundByItsName() {
        assertThat(OptionalJars.find(
                        InterruptionNotifier.class,
                        candidate -> candidate.name().equals("ec2")))
                .get()
                .isInstanceOf(SpotInterruptionNotifier.class);
    }

    @Test
    void withoutANoticeThereIsNone() {
        assertThat(notifier.poll()).isEmpty();
        assertThat(notifier.poll()).isEmpty();
        assertThat(metadata.requests).containsExactly("PUT token 21600", ENTRY + "token-1==", ENTRY + "token-1==");
    }

    @ParameterizedTest
    @ValueSource(strings = {"terminate", "stop", "hibernate"})
    void readsTheNotice(String action) {
        answers("{\"time\": \"2026-11-29T08:22:00Z\", \"more\": {\"a\": [1]}, \"action\": \"" + action + "\"}");
        assertThat(notifier.poll()).contains(new Notice(action, Instant.parse("2026-11-29T08:22:00Z")));
    }

    @Test
    void anExpiredTokenIsRenewedOncePerPoll() {
        assertThat(notifier.poll()).isEmpty();
        metadata.expireToken();
        assertThat(notifier.poll()).isEmpty();
        assertThat(metadata.requests)
                .containsExactly(
                        "PUT token 21600",
                        ENTRY + "token-1==",
                        ENTRY + "token-1==",
                        "PUT token 21600",
                        ENTRY + "token-2==");
        metadata.requests.clear();
        metadata.status = 401;
        fails(ErrorCode.IO, "status 401");
        assertThat(metadata.requests).hasSize(3);
        metadata.status = 404;
        assertThat(notifier.poll()).isEmpty();
    }

    @Test
    void statusesOtherThanThatOfNoNoticeAreErrors() {
        metadata.tokenStatus = 403;
        fails(ErrorCode.IO, "PUT /latest/api/token with status 403: enable the instance's metadata");
        metadata.tokenStatus = 200;
        metadata.status = 500;
        fails(ErrorCode.IO, "with status 500");
        metadata.status = 302;
        fails(ErrorCode.IO, "with status 302");
        answers("{\"action\": \"stop\", \"time\": \"2026-11-29T08:22:00Z\"}");
        assertThat(notifier.poll()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "no",
                "null",
                "{",
                "[]",
                "\"terminate\"",
                "<html><body>Sign in</body></html>",
                "{\"action\": \"terminate\"}",
                "{\"time\": \"2026-11-29T08:22:00Z\"}",
                "{\"action\": null, \"time\": \"2026-11-29T08:22:00Z\"}",
                "{\"action\": [\"stop\"], \"time\": \"2026-11-29T08:22:00Z\"}",
                "{\"action\": \"Terminate\", \"time\": \"2026-11-29T08:22:00Z\"}",
                "{\"action\": \"reboot\", \"time\": \"2026-11-29T08:22:00Z\"}",
                "{\"action\": \"stop\", \"time\": \"soon\"}",
                "{\"action\": \"stop\", \"time\": 1}",
                "{\"action\": \"\uD83D\uDE00\", \"time\": \"\u0000\"}"
            })
    void anythingElseIsNoNotice(String body) {
        answers(body);
        fails(ErrorCode.IO, "was expected");
    }

    @Test
    void deepNestingIsNoNotice() {
        answers("[".repeat(4_096));
        fails(ErrorCode.IO, "was expected");
    }

    @Test
    void answersAreBounded() {
        String notice = "{\"action\": \"stop\", \"time\": \"2026-11-29T08:22:00Z\"}";
        answers(notice + " ".repeat(4_096 - notice.length()));
        assertThat(notifier.poll()).isPresent();
        answers(notice + " ".repeat(4_097 - notice.length()));
        fails(ErrorCode.IO, "with more than 4096 bytes");
        answers(" ".repeat(16 << 20));
        metadata.declaredLength = 0;
        fails(ErrorCode.IO, "with more than 4096 bytes");
        metadata.declaredLength = -1;
        answers(notice);
        assertThat(notifier.poll()).isPresent();
    }

    @Test
    void hugeOrOddTokensAreRefused() {
        metadata.tokenSuffix = "=".repeat(5_000);
        fails(ErrorCode.IO, "PUT /latest/api/token with more than 4096 bytes");
        metadata.tokenSuffix = "\r\nX-Other: 1";
        fails(ErrorCode.IO, "is no token");
        metadata.tokenSuffix = "";
        assertThat(notifier.poll()).isEmpty();
    }

    @Test
    void withoutAServiceThereIsAnError() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        notifier = new SpotInterruptionNotifier("http://127.0.0.1:" + free);
        fails(ErrorCode.UNAVAILABLE, "is this machine an instance of EC2?");
    }

    @Test
    void aServiceThatDoesNotAnswerOrClosesIsAnError() throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            notifier = new SpotInterruptionNotifier("http://127.0.0.1:" + mute.getLocalPort() + "/");
            fails(ErrorCode.UNAVAILABLE, "PUT http://127.0.0.1:" + mute.getLocalPort() + "/latest/api/token");
        }
        metadata.declaredLength = 1_000; // more than the body has
        fails(ErrorCode.UNAVAILABLE, "no answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "169.254.169.254", "ftp://127.0.0.1", "https://127.0.0.1", "http://a b", "http://u@h"})
    void aWrongEndpointIsNamed(String endpoint) {
        notifier = new SpotInterruptionNotifier(endpoint);
        fails(ErrorCode.INVALID_CONFIGURATION, "AWS_EC2_METADATA_SERVICE_ENDPOINT is \"" + endpoint + "\"");
    }
}
