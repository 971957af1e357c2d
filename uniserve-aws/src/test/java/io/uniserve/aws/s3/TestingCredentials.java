package io.uniserve.aws.s3;

import io.uniserve.testsupport.VersityGateway;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Credentials of this JVM while a test class runs, by the first link of the SDK's chain. */
final class TestingCredentials implements BeforeAllCallback, AfterAllCallback {
    static final String SECRET = VersityGateway.SECRET_KEY;

    @Override
    public void beforeAll(ExtensionContext context) {
        set(TestingS3Server.ACCESS_KEY);
    }

    static void set(String accessKey) {
        System.setProperty("aws.accessKeyId", accessKey);
        System.setProperty("aws.secretAccessKey", SECRET);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }
}
