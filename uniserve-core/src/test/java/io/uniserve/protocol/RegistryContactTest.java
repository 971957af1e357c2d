package io.uniserve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Registry.SessionEvent;
import org.junit.jupiter.api.Test;

class RegistryContactTest {
    private static final long SECOND = 1_000_000_000L;
    private final RegistryContact contact = new RegistryContact("server s1", 0, 2 * SECOND, "reads end");

    @Test
    void silenceForLongerThanTheLimitIsALoss() {
        assertThat(contact.ageMillis(SECOND)).as("nothing was confirmed yet").isEqualTo(-1);
        contact.confirmed(SECOND, SECOND + 10);
        assertThat(contact.trouble(3 * SECOND)).isEmpty();
        assertThat(contact.ageMillis(3 * SECOND)).isEqualTo(2_000);
        assertThat(contact.trouble(3 * SECOND + 1)).contains("the registry has confirmed nothing for 2.0 s");
        contact.confirmed(4 * SECOND, 4 * SECOND);
        assertThat(contact.trouble(4 * SECOND)).isEmpty();
    }

    @Test
    void anAnswerThatWasSentForEarlierDoesNotCountAsNewer() {
        contact.confirmed(3 * SECOND, 3 * SECOND);
        contact.confirmed(SECOND, 3 * SECOND);
        assertThat(contact.ageMillis(4 * SECOND)).isEqualTo(1_000);
    }

    @Test
    void aLostConnectionIsALossAtOnce() {
        contact.confirmed(SECOND, SECOND);
        contact.on(SessionEvent.SUSPENDED, SECOND + 1);
        assertThat(contact.trouble(SECOND + SECOND / 2)).contains("the connection to the registry was lost 0.4 s ago");
        contact.on(SessionEvent.CONNECTED, 2 * SECOND);
        assertThat(contact.trouble(2 * SECOND)).isEmpty();
    }

    @Test
    void anExpiredSessionIsALossUntilTheNodeIsThereAgain() {
        contact.on(SessionEvent.SUSPENDED, SECOND);
        contact.on(SessionEvent.EXPIRED, 2 * SECOND);
        contact.on(SessionEvent.CONNECTED, 3 * SECOND);
        contact.confirmed(3 * SECOND, 3 * SECOND);
        assertThat(contact.trouble(4 * SECOND))
                .contains("its registry session expired 3.0 s ago and it has not registered in a new one yet");
        contact.registered(5 * SECOND);
        assertThat(contact.trouble(5 * SECOND)).isEmpty();
    }
}
