package io.uniserve.runtime.transport.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.runtime.transport.access.AdminAccess;
import org.junit.jupiter.api.Test;

class SampleRequestsTest {
    @Test
    void onlyWhatIsKnownToReadIsNoChange() {
        assertThat(SampleRequests.admin(AccessMatrix.TABLE).stream()
                        .filter(request -> !AdminAccess.isChange(request))
                        .map(request -> request.getClass().getSimpleName()))
                .containsExactlyInAnyOrder(
                        "DescribeTable",
                        "ListTables",
                        "Status",
                        "ListBackups",
                        "BackupWork",
                        "LostTables",
                        "ServerTrash",
                        "ExplainChunk",
                        "ScalingStatus",
                        "ListGrants",
                        "ListUsers");
    }

    @Test
    void eachChangeNamesItsObjectForTheAuditLog() {
        assertThat(SampleRequests.admin(AccessMatrix.TABLE).stream().filter(AdminAccess::isChange))
                .hasSizeGreaterThan(10)
                .allSatisfy(request -> assertThat(AdminAccess.object(request)).isNotBlank());
    }
}
