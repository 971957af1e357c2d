package io.uniserve.aws.s3;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The contract on LocalStack, in a container, where Docker is. */
@ExtendWith(TestingCredentials.class)
class LocalStackTest extends DurableStoreContract {
    private static final DockerImageName IMAGE = DockerImageName.parse("localstack/localstack:4.3.0");
    private static final int PORT = 4566;

    private static GenericContainer<?> container;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        assumeTrue(DockerClientFactory.instance().isDockerAvailable(), "needs Docker");
        container = new GenericContainer<>(IMAGE)
                .withExposedPorts(PORT)
                .withEnv("SERVICES", "s3")
                .waitingFor(Wait.forHttp("/_localstack/health").forPort(PORT));
        container.start();
        ExecResult made =
                container.execInContainer("awslocal", "s3api", "create-bucket", "--bucket", TestingS3Server.BUCKET);
        if (made.getExitCode() != 0) {
            throw new IOException("no bucket: " + made.getStderr());
        }
    }

    @AfterAll
    static void stop() {
        if (container != null) {
            container.close();
        }
    }

    @Override
    String location(String prefix) {
        return "s3://" + TestingS3Server.BUCKET + "/" + prefix
                + "?part-mib=5&path-style=true&region=us-east-1&endpoint=http://" + container.getHost() + ":"
                + container.getMappedPort(PORT);
    }
}
