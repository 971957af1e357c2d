package io.uniserve.benchmark.balance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerQuotaTest {
    @Test
    void aQuotaThatIsPossibleIsSet() {
        ServerQuota quota = new ServerQuota(0.1, true);
        assertThat(quota.cores()).isEqualTo(0.1);
        assertThat(quota.isRefused()).isFalse();
        assertThat(quota.describe("server", "servers")).isEqualTo("each server has 0.1 cores (control groups)");
    }

    @Test
    void aQuotaThatIsNotPossibleIsRefusedByName() {
        ServerQuota quota = new ServerQuota(0.1, false);
        assertThat(quota.cores()).isZero();
        assertThat(quota.isRefused()).isTrue();
        assertThat(quota.describe("server", "servers"))
                .isEqualTo("servers have NO CPU limit: control groups are not writable");
    }

    @Test
    void noQuotaIsNeverRefused() {
        for (boolean possible : new boolean[] {true, false}) {
            ServerQuota quota = new ServerQuota(0, possible);
            assertThat(quota.cores()).isZero();
            assertThat(quota.isRefused()).isFalse();
            assertThat(quota.describe("server", "servers")).isEqualTo("servers have NO CPU limit");
        }
    }
}
