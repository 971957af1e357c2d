package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cases of determinism: equal updates give equal digests and answers. */
interface DigestCases extends TckCases {
    @Test
    default void equalUpdatesGiveEqualDigests() {
        assertThat(bench().withRows(0, 50).digest())
                .isEqualTo(bench().withRows(0, 50).digest());
    }

    @Test
    default void equalUpdatesGiveEqualAnswers() {
        assertThat(bench().retrieveAll(bench().withRows(0, 50)))
                .isEqualTo(bench().retrieveAll(bench().withRows(0, 50)));
    }

    @Test
    default void otherContentsGiveAnotherDigest() {
        assertThat(bench().withRows(0, 50).digest())
                .isNotEqualTo(bench().withRows(0, 51).digest());
    }

    @Test
    default void theDigestIsStable() {
        Actor actor = bench().withRows(0, 20);
        assertThat(actor.digest()).isEqualTo(actor.digest());
    }

    @Test
    default void theDigestDoesNotDependOnBatches() {
        Actor whole = bench().withRows(0, 30);
        Actor parts = bench().create();
        for (int i = 0; i < 30; i += 7) {
            bench().upsert(parts, bench().rows(i, Math.min(30, i + 7)));
        }
        assertThat(parts.digest()).isEqualTo(whole.digest());
    }

    @Test
    default void theDigestDoesNotDependOnHistory() {
        Actor direct = bench().create();
        bench().upsert(
                        direct,
                        List.of(
                                bench().fixture().changedRow(0),
                                bench().fixture().row(1)));
        Actor detour = bench().withRows(0, 2);
        bench().upsert(detour, List.of(bench().fixture().changedRow(0)));
        assertThat(detour.digest()).isEqualTo(direct.digest());
    }
}
