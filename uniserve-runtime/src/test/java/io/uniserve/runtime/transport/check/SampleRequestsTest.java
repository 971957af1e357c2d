package io.uniserve.runtime.transport.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.runtime.proto.AdminMapping;
import io.uniserve.runtime.transport.access.AdminAccess;
import org.junit.jupiter.api.Test;

class SampleRequestsTest {
    private static boolean isChange(AdminRequest request) {
        return AdminAccess.isChange(AdminMapping.toProto("main", request), request);
    }

    @Test
    void onlyWhatIsDeclaredToReadIsNoChange() {
        assertThat(SampleRequests.admin(AccessMatrix.TABLE).stream()
                        .filter(request -> !isChange(request))
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
        assertThat(SampleRequests.admin(AccessMatrix.TABLE).stream().filter(SampleRequestsTest::isChange))
                .hasSizeGreaterThan(10)
                .allSatisfy(request -> assertThat(AdminAccess.object(request)).isNotBlank());
    }
}
