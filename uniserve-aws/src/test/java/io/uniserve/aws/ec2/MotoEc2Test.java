package io.uniserve.aws.ec2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.ServerProvider.Instance;
import io.uniserve.protocol.env.ServerProvider.Launch;
import io.uniserve.protocol.env.ServerProvider.Status;
import io.uniserve.testsupport.ExternalServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.ResourceType;

/** The provider against moto, another implementation of EC2's interface: what it sends is understood, and what it reads is there. */
class MotoEc2Test {
    private static final String NAME = "moto_server";
    private static final String IDENTITY = "cluster-1";

    @TempDir
    static Path directory;

    private static ExternalServer server;
    private static Ec2Client client;
    private static Ec2ServerProvider provider;
    private static List<String> subnets;
    private static String template;
    private static int tokens;

    @BeforeAll
    static void start() throws IOException {
        Optional<Path> program = ExternalServer.program(NAME);
        assumeTrue(program.isPresent(), ExternalServer.absent(NAME));
        System.setProperty("aws.accessKeyId", "testing");
        System.setProperty("aws.secretAccessKey", "testing");
        server = new ExternalServer(
                NAME, List.of(program.get().toString(), "-H", "127.0.0.1", "-p", "PORT"), Map.of(), directory);
        String endpoint = "http://127.0.0.1:" + server.port();
        client = Ec2Client.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("testing", "testing")))
                .build();
        subnets = client.describeSubnets().subnets().stream()
                .map(subnet -> subnet.subnetId())
                .sorted()
                .limit(2)
                .toList();
        String image = client.describeImages().images().get(0).imageId();
        template = client.createLaunchTemplate(request -> request.launchTemplateName("uniserve-server")
                        .launchTemplateData(data -> data.imageId(image).instanceType("m7g.large")))
                .launchTemplate()
                .launchTemplateId();
        provider = provider(String.join(",", subnets));
    }

    private static Ec2ServerProvider provider(String subnets) {
        return (Ec2ServerProvider) new Ec2ServerProviderFactory()
                .create(Map.of(
                        "endpoint",
                        "http://127.0.0.1:" + server.port(),
                        "template",
                        template + ":1",
                        "subnets",
                        subnets,
                        "instance-types",
                        "m7g.large"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            provider.close();
            client.close();
            server.close();
            System.clearProperty("aws.accessKeyId");
            System.clearProperty("aws.secretAccessKey");
        }
    }

    private static Launch launch(String of) {
        String token = "%032x".formatted(++tokens);
        return new Launch(IDENTITY, token, ScalingInstance.serverId(token), of, 7);
    }

    private static software.amazon.awssdk.services.ec2.model.Instance machine(String id) {
        return client.describeInstances(request -> request.instanceIds(id))
                .reservations()
                .get(0)
                .instances()
                .get(0);
    }

    private static void fails(ThrowingCallable call, ErrorCode code, String... texts) {
        assertThatThrownBy(call).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.toString()).isEqualTo(code);
            assertThat(e.getMessage()).contains(texts);
        });
    }

    @Test
    void anInstanceIsLaunchedOnceListedAndTerminated() {
        Launch launch = launch(template + ":1");
        Instance launched = provider.launch(launch);
        assertThat(launched.token()).isEqualTo(launch.token());
        assertThat(provider.launch(launch).id()).isEqualTo(launched.id());
        assertThat(provider.list(IDENTITY))
                .filteredOn(one -> one.token().equals(launch.token()))
                .singleElement()
                .isEqualTo(new Instance(launched.id(), launch.token(), Status.RUNNING));
        assertThat(provider.list("cluster-2")).isEmpty();

        var machine = machine(launched.id());
        assertThat(machine.subnetId()).isEqualTo(subnets.get(0));
        assertThat(machine.instanceTypeAsString()).isEqualTo("m7g.large");
        assertThat(machine.tags())
                .extracting(tag -> tag.key() + "=" + tag.value())
                .contains(
                        "uniserve-cluster=" + IDENTITY,
                        "uniserve-token=" + launch.token(),
                        "uniserve-server=" + launch.server().value(),
                        "Name=" + launch.server().value());

        provider.terminate(launched.id());
        assertThat(provider.list(IDENTITY))
                .filteredOn(one -> one.token().equals(launch.token()))
                .allMatch(one -> one.status() == Status.ENDED);
        provider.terminate(launched.id());
    }

    @Test
    void aStoppedInstanceStartsAgain() {
        Launch launch = launch(template + ":1");
        Instance launched = provider.launch(launch);
        client.stopInstances(request -> request.instanceIds(launched.id()));
        assertThat(provider.list(IDENTITY)).contains(new Instance(launched.id(), launch.token(), Status.STOPPED));
        assertThat(provider.launch(launch).id()).isEqualTo(launched.id());
        assertThat(provider.list(IDENTITY)).contains(new Instance(launched.id(), launch.token(), Status.RUNNING));
    }

    @Test
    void instancesOfOthersAreNotTerminated() {
        String stranger = client.runInstances(request -> request.launchTemplate(spec -> spec.launchTemplateId(template))
                        .minCount(1)
                        .maxCount(1)
                        .tagSpecifications(tags -> tags.resourceType(ResourceType.INSTANCE)
                                .tags(tag -> tag.key("uniserve-cluster").value(IDENTITY))))
                .instances()
                .get(0)
                .instanceId();
        fails(() -> provider.terminate(stranger), ErrorCode.INVALID_ARGUMENT, "was not launched by Uniserve");
        assertThat(machine(stranger).state().nameAsString()).isEqualTo("running");
        client.terminateInstances(request -> request.instanceIds(stranger));
    }

    @Test
    void whatIsAbsentIsNamed() {
        provider.terminate("i-0123456789abcdef0"); // EC2 forgets ended instances
        try (Ec2ServerProvider wrong = provider("subnet-0123456789abcdef0")) {
            fails(
                    () -> wrong.launch(launch(template + ":1")),
                    ErrorCode.INVALID_CONFIGURATION,
                    "InvalidSubnetID.NotFound",
                    "coordinator.scaling.ec2.subnets");
        }
    }
}
