package io.uniserve.aws.s3;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.uniserve.testsupport.VersityGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a server of its own with the interface of S3: versitygw, from the PATH or {@code -Duniserve.test.versitygw}. */
@ExtendWith(TestingCredentials.class)
class VersityGatewayTest extends DurableStoreContract {
    @TempDir
    static Path directory;

    private static VersityGateway gateway;

    @BeforeAll
    static void start() throws IOException {
        Optional<Path> program = VersityGateway.program();
        assumeThat(program).as(VersityGateway.ABSENT).isPresent();
        gateway = new VersityGateway(program.get(), directory, TestingS3Server.BUCKET);
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    @Override
    String location(String prefix) {
        return "s3://" + TestingS3Server.BUCKET + "/" + prefix + "?part-mib=5&" + gateway.locationOptions();
    }
}
