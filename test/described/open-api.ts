/** An OpenAPI document, as far as tests read it. */
export interface OpenApi {
  servers?: { url: string }[];
  security?: object[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, DescribedResponse>;
    headers: Record<string, DescribedHeader>;
    schemas: Record<string, object>;
  };
}

export interface Operation {
  operationId?: string;
  tags?: string[];
  security?: object[];
  parameters?: (Parameter | Reference)[];
  responses: Record<string, DescribedResponse | Reference>;
}

interface Parameter {
  name: string;
  schema: object;
}

export interface DescribedResponse {
  headers?: Record<string, DescribedHeader | Reference>;
  content?: Record<string, { schema?: object }>;
  'x-other-media-types'?: string[];
}

export interface DescribedHeader {
  required?: boolean;
  schema: object;
}

export interface Reference {
  $ref: string;
}
