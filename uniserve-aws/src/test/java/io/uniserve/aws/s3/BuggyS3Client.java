package io.uniserve.aws.s3;

import java.util.Map;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Client with a planted bug, as if the store above it had it. Takes ownership of the client below. */
final class BuggyS3Client implements S3Client {
    private final S3Client client;
    private final Bug bug;

    /** Planted bugs. */
    enum Bug {
        NONE,
        /** A conflict of two writers is taken for an object that is there. */
        CONFLICT_IS_EXISTING,
        /** An object that is there is always taken for another writer's. */
        EXISTING_IS_LOST,
        /** Puts replace objects, so a repeated one replaces that of another writer. */
        KEY_IS_MUTABLE
    }

    BuggyS3Client(S3Client client, Bug bug) {
        this.client = client;
        this.bug = bug;
    }

    @Override
    public PutObjectResponse putObject(PutObjectRequest request, RequestBody body) {
        PutObjectRequest sent = bug == Bug.KEY_IS_MUTABLE
                ? request.toBuilder().ifNoneMatch(null).build()
                : request;
        try {
            return client.putObject(sent, body);
        } catch (S3Exception e) {
            if (bug == Bug.CONFLICT_IS_EXISTING && e.statusCode() == 409) {
                return PutObjectResponse.builder().build();
            }
            throw e;
        }
    }

    @Override
    public HeadObjectResponse headObject(HeadObjectRequest request) {
        HeadObjectResponse found = client.headObject(request);
        return bug == Bug.EXISTING_IS_LOST
                ? found.toBuilder().metadata(Map.of()).build()
                : found;
    }

    @Override
    public <T> T getObject(GetObjectRequest request, ResponseTransformer<GetObjectResponse, T> transformer) {
        return client.getObject(request, transformer);
    }

    @Override
    public ListObjectsV2Response listObjectsV2(ListObjectsV2Request request) {
        return client.listObjectsV2(request);
    }

    @Override
    public DeleteObjectResponse deleteObject(DeleteObjectRequest request) {
        return client.deleteObject(request);
    }

    @Override
    public String serviceName() {
        return client.serviceName();
    }

    @Override
    public void close() {
        client.close();
    }
}
