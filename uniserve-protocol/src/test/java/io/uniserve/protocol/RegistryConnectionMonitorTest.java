package io.uniserve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Registry.SessionEvent;
import org.junit.jupiter.api.Test;

class RegistryConnectionMonitorTest {
    private static final long SECOND = 1_000_000_000L;
    private final RegistryConnectionMonitor contact =
            new RegistryConnectionMonitor("server s1", 0, 2 * SECOND, "reads end");

    @Test
    void silenceForLongerThanTheLimitIsALoss() {
        assertThat(contact.ageMillis(SECOND)).as("nothing was confirmed yet").isEqualTo(-1);
        contact.onConfirmed(SECOND, SECOND + 10);
        assertThat(contact.lossReason(3 * SECOND)).isEmpty();
        assertThat(contact.ageMillis(3 * SECOND)).isEqualTo(2_000);
        assertThat(contact.lossReason(3 * SECOND + 1)).contains("the registry has confirmed nothing for 2.0 s");
        contact.onConfirmed(4 * SECOND, 4 * SECOND);
        assertThat(contact.lossReason(4 * SECOND)).isEmpty();
    }

    @Test
    void anAnswerThatWasSentForEarlierDoesNotCountAsNewer() {
        contact.onConfirmed(3 * SECOND, 3 * SECOND);
        contact.onConfirmed(SECOND, 3 * SECOND);
        assertThat(contact.ageMillis(4 * SECOND)).isEqualTo(1_000);
    }

    @Test
    void aLostConnectionIsALossAtOnce() {
        contact.onConfirmed(SECOND, SECOND);
        contact.onSessionEvent(SessionEvent.SUSPENDED, SECOND + 1);
        assertThat(contact.lossReason(SECOND + SECOND / 2))
                .contains("the connection to the registry was lost 0.4 s ago");
        contact.onSessionEvent(SessionEvent.CONNECTED, 2 * SECOND);
        assertThat(contact.lossReason(2 * SECOND)).isEmpty();
    }

    @Test
    void anExpiredSessionIsALossUntilTheNodeIsThereAgain() {
        contact.onSessionEvent(SessionEvent.SUSPENDED, SECOND);
        contact.onSessionEvent(SessionEvent.EXPIRED, 2 * SECOND);
        contact.onSessionEvent(SessionEvent.CONNECTED, 3 * SECOND);
        contact.onConfirmed(3 * SECOND, 3 * SECOND);
        assertThat(contact.lossReason(4 * SECOND))
                .contains("its registry session expired 3.0 s ago and it has not registered in a new one yet");
        contact.onRegistered(5 * SECOND);
        assertThat(contact.lossReason(5 * SECOND)).isEmpty();
    }
}
