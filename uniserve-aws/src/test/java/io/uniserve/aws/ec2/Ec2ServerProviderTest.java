package io.uniserve.aws.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.ServerProvider.Instance;
import io.uniserve.protocol.env.ServerProvider.Launch;
import io.uniserve.protocol.env.ServerProvider.Status;
import io.uniserve.testsupport.TestingEc2Server;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The provider against a scripted service: idempotent launches, capacity by zone, lost answers, late lists, strangers, errors. */
class Ec2ServerProviderTest {
    private static final String IDENTITY = "cluster-1";
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "fedcba9876543210fedcba9876543210";

    private TestingEc2Server server;
    private Ec2ServerProvider provider;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "testing");
        System.setProperty("aws.secretAccessKey", "testing");
        server = new TestingEc2Server();
        provider = provider(Map.of("subnets", "subnet-a1,subnet-b2", "instance-types", "m7g.large,m7g.xlarge"));
    }

    @AfterEach
    void stop() {
        provider.close();
        server.close();
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private Ec2ServerProvider provider(Map<String, String> given) {
        Map<String, String> all = new HashMap<>(given);
        all.put("endpoint", server.endpoint());
        all.put("template", "lt-0abc:3");
        return (Ec2ServerProvider) new Ec2ServerProviderFactory().create(all);
    }

    private static Launch launch(String token) {
        return new Launch(IDENTITY, token, ScalingInstance.serverId(token), "lt-0abc:3", 7);
    }

    private static void fails(ThrowingCallable call, ErrorCode code, String... texts) {
        assertThatThrownBy(call).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.toString()).isEqualTo(code);
            assertThat(e.getMessage()).contains(texts);
        });
    }

    private void launchesFailWith(String fault) {
        server.faults(request -> "RunInstances".equals(request.get("Action")) ? fault : null);
    }

    private long calls(String action) {
        return server.requests().stream()
                .filter(request -> action.equals(request.get("Action")))
                .count();
    }

    @Test
    void aLaunchCarriesTemplateTagsAndClosedMetadata() {
        Instance launched = provider.launch(launch(TOKEN));
        assertThat(launched).isEqualTo(new Instance("i-00000000000000001", TOKEN, Status.PENDING));
        Map<String, String> request = server.requests().get(1);
        assertThat(request)
                .containsEntry("Action", "RunInstances")
                .containsEntry("LaunchTemplate.LaunchTemplateId", "lt-0abc")
                .containsEntry("LaunchTemplate.Version", "3")
                .containsEntry("ClientToken", TOKEN + "-0")
                .containsEntry("InstanceType", "m7g.large")
                .containsEntry("SubnetId", "subnet-a1")
                .containsEntry("MinCount", "1")
                .containsEntry("MaxCount", "1")
                .containsEntry("MetadataOptions.HttpTokens", "required")
                .containsEntry("MetadataOptions.InstanceMetadataTags", "enabled");
        assertThat(server.instance(launched.id()).tags())
                .containsEntry("uniserve-cluster", IDENTITY)
                .containsEntry("uniserve-token", TOKEN)
                .containsEntry("uniserve-server", "auto-" + TOKEN);
        assertThat(provider.list(IDENTITY)).containsExactly(launched);
        assertThat(provider.list("cluster-2")).isEmpty();
    }

    @Test
    void aRepeatedLaunchMakesNoSecondInstance() {
        Instance first = provider.launch(launch(TOKEN));
        assertThat(provider.launch(launch(TOKEN))).isEqualTo(first);
        server.hide(first.id(), 9); // a list that is late
        assertThat(provider.launch(launch(TOKEN))).isEqualTo(first);
        assertThat(server.instances()).hasSize(1);
        assertThat(provider.launch(launch(OTHER)).id()).isNotEqualTo(first.id());
    }

    @Test
    void aLostAnswerIsNoReasonForAnotherZone() {
        launchesFailWith(TestingEc2Server.LOST);
        fails(() -> provider.launch(launch(TOKEN)), ErrorCode.UNAVAILABLE, "no answer");
        server.faults(request -> null);
        server.hide("i-00000000000000001", 9);
        assertThat(provider.launch(launch(TOKEN)).id()).isEqualTo("i-00000000000000001");
        assertThat(server.instances()).hasSize(1);
    }

    @Test
    void aLaunchWithALostAnswerStaysInItsZone() {
        server.setFull("subnet-a1", true);
        server.faults(request -> "subnet-b2".equals(request.get("SubnetId")) ? TestingEc2Server.LOST : null);
        fails(() -> provider.launch(launch(TOKEN)), ErrorCode.UNAVAILABLE, "no answer");
        server.setFull("subnet-a1", false); // it has capacity again
        server.hide("i-00000000000000001", 9);
        server.faults(request -> "RunInstances".equals(request.get("Action")) ? "RequestLimitExceeded" : null);
        fails(() -> provider.launch(launch(TOKEN)), ErrorCode.UNAVAILABLE, "RequestLimitExceeded");
        server.faults(request -> null);
        assertThat(provider.launch(launch(TOKEN)).id()).isEqualTo("i-00000000000000001");
        assertThat(server.instances()).hasSize(1);
        assertThat(provider.launch(launch(OTHER)).id()).isEqualTo("i-00000000000000002");
        assertThat(server.instance("i-00000000000000002").subnet()).isEqualTo("subnet-a1");
    }

    @Test
    void withoutCapacityOtherZonesAndTypesAreTried() {
        server.setFull("subnet-a1", true);
        Instance launched = provider.launch(launch(TOKEN));
        assertThat(server.instance(launched.id()).subnet()).isEqualTo("subnet-b2");
        assertThat(provider.launch(launch(TOKEN))).isEqualTo(launched);
        server.setFull("subnet-b2", true);
        fails(
                () -> provider.launch(launch(OTHER)),
                ErrorCode.RESOURCE_EXHAUSTED,
                "m7g.large in subnet-a1: InsufficientInstanceCapacity",
                "m7g.xlarge in subnet-b2",
                "add subnets or instance-types");
        assertThat(calls("RunInstances")).isEqualTo(2 + 4);
    }

    @Test
    void aStoppedInstanceStartsAndAnEndedOneDoesNot() {
        Instance launched = provider.launch(launch(TOKEN));
        server.setState(launched.id(), "stopped");
        assertThat(provider.list(IDENTITY).get(0).status()).isEqualTo(Status.STOPPED);
        provider.launch(launch(TOKEN));
        assertThat(server.instance(launched.id()).state()).isEqualTo("pending");
        server.setState(launched.id(), "terminated");
        assertThat(provider.launch(launch(TOKEN)).status()).isEqualTo(Status.ENDED);
        assertThat(server.instances()).hasSize(1);
    }

    @Test
    void terminationIsIdempotentAndLeavesStrangersAlone() {
        Instance launched = provider.launch(launch(TOKEN));
        provider.terminate(launched.id());
        provider.terminate(launched.id());
        assertThat(calls("TerminateInstances")).isEqualTo(1);
        assertThat(provider.list(IDENTITY).get(0).status()).isEqualTo(Status.ENDED);
        provider.terminate("i-0ffffffffffffffff");
        server.put(new TestingEc2Server.Instance("i-stranger", "x", "", Map.of("Name", "database"), "pending"));
        fails(() -> provider.terminate("i-stranger"), ErrorCode.INVALID_ARGUMENT, "not launched by Uniserve");
        assertThat(server.instance("i-stranger").state()).isEqualTo("pending");
    }

    @Test
    void listsComeInPages() {
        server.pages(2);
        for (int i = 0; i < 5; i++) {
            provider.launch(launch(TOKEN.substring(1) + i));
        }
        List<Instance> all = provider.list(IDENTITY);
        assertThat(all).hasSize(5).extracting(Instance::token).doesNotHaveDuplicates();
    }

    @Test
    void errorsNameTheRemedy() {
        Map<String, List<String>> expected = Map.of(
                "UnauthorizedOperation", List.of("UNAUTHORIZED", "permit ec2:RunInstances"),
                "AuthFailure", List.of("UNAUTHORIZED", "renew"),
                "VcpuLimitExceeded", List.of("RESOURCE_EXHAUSTED", "larger quota"),
                "RequestLimitExceeded", List.of("UNAVAILABLE", "RequestLimitExceeded"),
                "InvalidLaunchTemplateId.NotFound", List.of("INVALID_CONFIGURATION", "scaling.template"),
                "InvalidSubnetID.NotFound", List.of("INVALID_CONFIGURATION", "ec2.subnets"));
        expected.forEach((code, texts) -> {
            launchesFailWith(code);
            fails(() -> provider.launch(launch(TOKEN)), ErrorCode.valueOf(texts.get(0)), texts.get(1));
        });
        assertThat(server.instances()).isEmpty();
        server.close();
        fails(() -> provider.list(IDENTITY), ErrorCode.UNAVAILABLE, "no answer");
    }

    @Test
    void wrongSettingsAreNamed() {
        for (Map<String, String> wrong : List.of(
                Map.of("subnets", "subnet-a1,vpc-1"),
                Map.of("subnets", "subnet-a1,subnet-a1"),
                Map.of("instance-types", "large"),
                Map.of("spot", "maybe"),
                Map.of("endpoint", "ftp://x"))) {
            fails(
                    () -> Ec2Options.of(wrong),
                    ErrorCode.INVALID_CONFIGURATION,
                    "ec2." + wrong.keySet().iterator().next());
        }
        fails(() -> LaunchTemplate.parse(""), ErrorCode.INVALID_CONFIGURATION, "scaling.template", "lt-0a1b2c3d:3");
        fails(() -> LaunchTemplate.parse("lt-1:latest"), ErrorCode.INVALID_CONFIGURATION, "scaling.template");
        fails(
                () -> new Ec2ServerProviderFactory().create(Map.of()),
                ErrorCode.INVALID_CONFIGURATION,
                "scaling.template is \"\"");
        assertThat(LaunchTemplate.parse("search-servers").version()).isEqualTo("$Default");
    }
}
